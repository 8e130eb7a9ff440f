// Bodies of inserts as files: the engine reads binary formats only from files byte for byte.
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { limits } from '../../schemas/limits/index.ts';
import { errors } from './engine-error.ts';

export class Incoming {
  private readonly folder: string;
  private next = 0;

  /** Removes what an earlier process left. */
  static async open(folder: string): Promise<Incoming> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    return new Incoming(folder);
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Calls `work` with the file of a body, which is removed afterwards. Errors: 307 if it is too large, 243 without disk space. */
  async with<T>(body: Readable, work: (file: string, bytes: number) => Promise<T>): Promise<T> {
    this.next += 1;
    const file = join(this.folder, String(this.next));
    // Somebody may have removed it.
    await mkdir(this.folder, { recursive: true });
    try {
      return await work(file, await copied(body, file));
    } finally {
      await rm(file, { force: true });
    }
  }
}

async function copied(body: Readable, file: string): Promise<number> {
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > limits.storeInsertBytesMax) done(errors.tooLarge(limits.storeInsertBytesMax));
      else done(null, chunk);
    },
  });
  try {
    await pipeline(body, counted, createWriteStream(file));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === 'ENOSPC' || code === 'EDQUOT' ? errors.noSpace(message) : error;
  }
  return bytes;
}
