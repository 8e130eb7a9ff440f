// The bytes of a file or of standard input, decompressed if they are gzip or xz. The format is recognised by magic bytes, not by the name.
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import xz from 'xz-decompress';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';

const GZIP_MAGIC = [0x1f, 0x8b];
const XZ_MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00];

export class ByteSource {
  /** Bytes read from the file, before decompression. */
  storedBytesRead = 0;
  /** True when `peek` saw the whole input. */
  ended = false;
  private packing: 'gzip' | 'xz' | null = null;
  private readonly path: string;
  private readonly stored: Readable;
  private unpacked: AsyncIterator<Uint8Array> | null = null;
  private readonly peeked: Uint8Array[] = [];

  constructor(path: string, stored: Readable) {
    this.path = path === '-' ? 'standard input' : path;
    this.stored = stored;
  }

  /** The first `limits.detectBytesMax` bytes, decompressed; `bytes` returns them again. Error: `input.unreadable`. */
  async peek(): Promise<Uint8Array> {
    const storedIterator = this.readStored();
    const head = await this.gather(storedIterator, XZ_MAGIC.length);
    this.unpacked = this.unpack(head.joined, replay(head.parts, storedIterator))[Symbol.asyncIterator]();
    const first = await this.gather(this.unpacked, limits.detectBytesMax);
    this.peeked.push(...first.parts);
    this.ended = first.joined.length < limits.detectBytesMax;
    return first.joined.subarray(0, limits.detectBytesMax);
  }

  /** All bytes, decompressed. Call `peek` first. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    yield* this.peeked.splice(0);
    if (this.unpacked === null) return;
    for (;;) {
      const next = await this.guarded(this.unpacked.next());
      if (next.done === true) return;
      yield next.value;
    }
  }

  async close(): Promise<void> {
    this.stored.destroy();
  }

  private async *readStored(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.stored) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array);
      this.storedBytesRead += bytes.length;
      yield bytes;
    }
  }

  private async gather(source: AsyncIterator<Uint8Array>, length: number): Promise<{ parts: Uint8Array[]; joined: Uint8Array }> {
    const parts: Uint8Array[] = [];
    let gathered = 0;
    while (gathered < length) {
      const next = await this.guarded(source.next());
      if (next.done === true) break;
      parts.push(next.value);
      gathered += next.value.length;
    }
    return { parts, joined: Buffer.concat(parts) };
  }

  private unpack(head: Uint8Array, stored: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    if (GZIP_MAGIC.every((byte, i) => head[i] === byte)) {
      this.packing = 'gzip';
      const gunzip = createGunzip();
      const input = Readable.from(stored);
      input.on('error', (error) => gunzip.destroy(error));
      return input.pipe(gunzip);
    }
    if (XZ_MAGIC.every((byte, i) => head[i] === byte)) {
      this.packing = 'xz';
      const input = Readable.toWeb(Readable.from(stored, { objectMode: false }));
      return new xz.XzReadableStream(input as unknown as ReadableStream<Uint8Array>) as unknown as AsyncIterable<Uint8Array>;
    }
    return stored;
  }

  private async guarded<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const detail = this.packing === null ? message : `damaged or truncated ${this.packing} data (${message})`;
      throw new SquitterError('input.unreadable', { path: this.path, detail }, error);
    }
  }
}

async function* replay(parts: readonly Uint8Array[], following: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* parts;
  for (;;) {
    const next = await following.next();
    if (next.done === true) return;
    yield next.value;
  }
}
