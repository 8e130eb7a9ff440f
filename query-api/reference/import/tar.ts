// The files of a tar archive (POSIX ustar, with GNU and pax long names), one after the other as their bytes come.

const BLOCK_BYTES = 512;
/** A long name; no system has longer ones. */
const NAME_BYTES_MAX = 64 * 1024;

export interface TarFile {
  readonly path: string;
  /** To be read to its end before the next file is asked for; what is left is skipped. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Whether bytes begin a tar archive. */
export function isTar(head: Uint8Array): boolean {
  return Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1', 257, 262) === 'ustar';
}

/** Regular files of an archive. Throws an Error when it is cut off or damaged. */
export async function* tarFiles(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const cursor = new Cursor(bytes);
  let longPath: string | null = null;
  for (;;) {
    const header = await cursor.take(BLOCK_BYTES);
    // An archive ends with empty blocks; some writers leave them out.
    if (header.length === 0 || header.every((byte) => byte === 0)) return;
    if (header.length < BLOCK_BYTES) throw new Error('the archive is cut off');
    const size = Number.parseInt(textAt(header, 124, 12), 8) || 0;
    const type = String.fromCharCode(header[156]!);
    if (!hasChecksum(header)) throw new Error('the archive is damaged: the checksum of a header does not fit');
    if ((type === 'L' || type === 'x') && size > NAME_BYTES_MAX) throw new Error('the archive is damaged: a name has no end');
    cursor.left = size;
    if (type === 'L') longPath = textAt(await cursor.take(size), 0, size);
    else if (type === 'x') longPath = paxPath((await cursor.take(size)).toString()) ?? longPath;
    else {
      const prefix = textAt(header, 345, 155);
      const path = longPath ?? (prefix === '' ? '' : `${prefix}/`) + textAt(header, 0, 100);
      if (type === '0' || type === '\0') yield { path, bytes: cursor.rest() };
      longPath = null;
    }
    for await (const _ of cursor.rest());
    await cursor.take((BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES);
  }
}

/** A sum of the header's bytes, its own field counted as spaces. */
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

/** The path among pax records, `27 path=some/long/name\n`. */
function paxPath(records: string): string | undefined {
  return /^\d+ path=(.*)$/m.exec(records)?.[1];
}

/** Takes bytes from pieces of any size. */
class Cursor {
  /** Bytes of the file at hand that nobody took yet. */
  left = 0;
  private readonly pieces: AsyncIterator<Uint8Array>;
  private piece: Uint8Array = new Uint8Array(0);

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.pieces = bytes[Symbol.asyncIterator]();
  }

  /** So many bytes; fewer at the end of all. */
  async take(bytes: number): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for (let missing = bytes; missing > 0; ) {
      const part = await this.upTo(missing);
      if (part === null) break;
      parts.push(part);
      missing -= part.length;
    }
    const taken = Buffer.concat(parts);
    this.left = Math.max(0, this.left - taken.length);
    return taken;
  }

  async *rest(): AsyncGenerator<Uint8Array> {
    while (this.left > 0) {
      const part = await this.upTo(this.left);
      if (part === null) throw new Error('the archive is cut off');
      this.left -= part.length;
      yield part;
    }
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
