// Reads the files of a tar archive (POSIX ustar, with GNU and pax long names) as a stream.
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';

const BLOCK_BYTES = 512;

/** A file to import from. */
export interface InputFile {
  /** Path within the folder or archive; '' for a single file. */
  readonly path: string;
  /** Read it before requesting the next file; unread bytes of an archive are skipped. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** True for the first bytes of a tar archive. */
export function isTar(head: Uint8Array): boolean {
  return Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1', 257, 262) === 'ustar';
}

/** Regular files of an archive; `archive` names it in errors. Error: `input.unreadable` if it is cut off or damaged. */
export async function* tarFiles(bytes: AsyncIterable<Uint8Array>, archive: string): AsyncGenerator<InputFile> {
  const cursor = new Cursor(bytes, archive);
  let longPath: string | null = null;
  for (;;) {
    const header = await cursor.read(BLOCK_BYTES);
    // An archive ends with empty blocks; some writers omit them.
    if (header.length === 0 || header.every((byte) => byte === 0)) return;
    if (header.length < BLOCK_BYTES) throw cursor.cutOff();
    if (!hasChecksum(header)) throw cursor.unreadable('the checksum of a header is wrong');
    const size = Number.parseInt(textAt(header, 124, 12), 8) || 0;
    const type = String.fromCharCode(header[156]!);
    cursor.left = size;
    if (type === 'L' || type === 'x') longPath = await longPathOf(type, size, cursor);
    else {
      if (type === '0' || type === '\0') yield { path: longPath ?? pathIn(header), bytes: cursor.readToEnd() };
      longPath = null;
    }
    for await (const _ of cursor.readToEnd());
    await cursor.read((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);
  }
}

function pathIn(header: Buffer): string {
  const prefix = textAt(header, 345, 155);
  return (prefix === '' ? '' : `${prefix}/`) + textAt(header, 0, 100);
}

/** Reads the entry with a path that is too long for its file's header: the path alone (L), or a record `27 path=some/long/name\n` (x). */
async function longPathOf(type: 'L' | 'x', size: number, cursor: Cursor): Promise<string | null> {
  if (size > limits.referenceArchiveNameBytesMax) throw cursor.unreadable('a name has no end');
  const bytes = await cursor.read(size);
  return type === 'L' ? textAt(bytes, 0, size) : (/^\d+ path=(.*)$/m.exec(bytes.toString())?.[1] ?? null);
}

/** Checks the sum of the header's bytes; the checksum field itself counts as spaces. */
function hasChecksum(header: Buffer): boolean {
  let sum = 0;
  for (const [i, byte] of header.entries()) sum += i >= 148 && i < 156 ? 0x20 : byte;
  return sum === Number.parseInt(textAt(header, 148, 8), 8);
}

function textAt(block: Buffer, at: number, bytes: number): string {
  return block
    .toString('utf8', at, at + bytes)
    .replace(/\0.*$/s, '')
    .trim();
}

/** Reads bytes from pieces of any size. */
class Cursor {
  /** Unread bytes of the current file. */
  left = 0;
  private readonly pieces: AsyncIterator<Uint8Array>;
  private piece: Uint8Array = new Uint8Array(0);
  private readonly archive: string;

  constructor(bytes: AsyncIterable<Uint8Array>, archive: string) {
    this.archive = archive;
    this.pieces = bytes[Symbol.asyncIterator]();
  }

  /** So many bytes; fewer at the end of all. */
  async read(bytes: number): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for (let missing = bytes; missing > 0; ) {
      const part = await this.upTo(missing);
      if (part === null) break;
      parts.push(part);
      missing -= part.length;
    }
    const bytesRead = Buffer.concat(parts);
    this.left = Math.max(0, this.left - bytesRead.length);
    return bytesRead;
  }

  async *readToEnd(): AsyncGenerator<Uint8Array> {
    while (this.left > 0) {
      const part = await this.upTo(this.left);
      if (part === null) throw this.cutOff();
      this.left -= part.length;
      yield part;
    }
  }

  cutOff(): SquitterError {
    return this.unreadable('the archive is cut off');
  }

  unreadable(detail: string): SquitterError {
    return new SquitterError('input.unreadable', { path: this.archive, detail });
  }

  private async upTo(bytes: number): Promise<Uint8Array | null> {
    while (this.piece.length === 0) {
      const next = await this.pieces.next();
      if (next.done === true) return null;
      this.piece = next.value;
    }
    const part = this.piece.subarray(0, bytes);
    this.piece = this.piece.subarray(part.length);
    return part;
  }
}
