// A table as one file of columns. The file layout is the memory layout, so loading only reads. Little-endian, like every machine that runs Node.
//
// offset  bytes  what
//      0      8  magic "SQUITREF"
//      8      4  version of the layout
//     12      4  bytes of the header
//     16     32  SHA-256 of all that follows
//     48      -  header: JSON {"kind", "rows", "columns": [{"name", "type", "length"}]}, padded with spaces to a multiple of 8
//      -      -  the columns in order, each padded with zeros to a multiple of 8
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';

const MAGIC = 'SQUITREF';
const LAYOUT_VERSION = 1;
const PREFIX_BYTES = 48;
const ALIGNMENT = 8;
/** Bytes read and checked at a time: a few milliseconds. */
const PIECE_BYTES = 1024 * 1024;

/** Typed array of each column type. */
export const columnTypes = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f64: Float64Array,
} as const;
export type ColumnType = keyof typeof columnTypes;
export type ColumnOf<Type extends ColumnType> = InstanceType<(typeof columnTypes)[Type]>;
export type Column = ColumnOf<ColumnType>;

interface Header {
  readonly kind: string;
  readonly rows: number;
  readonly columns: readonly { readonly name: string; readonly type: ColumnType; readonly length: number }[];
}

/** A table in memory: columns by name over one buffer. */
export interface ColumnTable {
  readonly kind: string;
  readonly rows: number;
  readonly columns: ReadonlyMap<string, Column>;
}

/** The bytes of a table's file in pieces, and the SHA-256 of its contents. */
export interface PackedTable {
  readonly kind: string;
  readonly rows: number;
  readonly pieces: readonly Uint8Array[];
  readonly sha256: string;
}

export function packTable(kind: string, rows: number, columns: ReadonlyMap<string, Column>): PackedTable {
  const header: Header = {
    kind,
    rows,
    columns: [...columns].map(([name, column]) => ({ name, type: typeOf(column), length: column.length })),
  };
  const body: Uint8Array[] = [padded(Buffer.from(JSON.stringify(header)), 0x20)];
  for (const column of columns.values()) body.push(padded(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), 0));
  const hash = createHash('sha256');
  for (const piece of body) hash.update(piece);
  const digest = hash.digest();
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.write(MAGIC, 'latin1');
  prefix.writeUInt32LE(LAYOUT_VERSION, 8);
  prefix.writeUInt32LE(body[0]!.length, 12);
  digest.copy(prefix, 16);
  return { kind, rows, pieces: [prefix, ...body], sha256: digest.toString('hex') };
}

/** Reads a packed table from memory. Error: `reference.damaged`. */
export function unpackTable({ pieces }: Pick<PackedTable, 'pieces'>): ColumnTable {
  const bytes = new Uint8Array(Buffer.concat(pieces));
  return tableIn(bytes, readPrefix(bytes, 'memory'), 'memory');
}

/**
 * Reads and checks a table's file, some milliseconds at a time. Errors: `reference.damaged`; the system's error if the file does not exist.
 */
export async function readTable(path: string, kind: string): Promise<ColumnTable> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > limits.referenceTableBytesMax) throw damaged(path, `expected at most ${limits.referenceTableBytesMax} bytes, got ${size}`);
    const bytes = new Uint8Array(size);
    const hash = createHash('sha256');
    for (let at = 0; at < size; at += PIECE_BYTES) await readPiece(file, bytes.subarray(at, at + PIECE_BYTES), at, hash, path);
    const prefix = readPrefix(bytes, path);
    if (hash.digest('hex') !== prefix.sha256) throw damaged(path, 'the checksum is wrong');
    const table = tableIn(bytes, prefix, path);
    if (table.kind !== kind) throw damaged(path, `expected ${kind}, got ${table.kind}`);
    return table;
  } finally {
    await file.close();
  }
}

async function readPiece(file: FileHandle, piece: Uint8Array, at: number, hash: Hash, path: string): Promise<void> {
  let filled = 0;
  while (filled < piece.length) {
    const { bytesRead } = await file.read(piece, filled, piece.length - filled, at + filled);
    if (bytesRead === 0) throw damaged(path, 'the file is cut off');
    filled += bytesRead;
  }
  hash.update(at === 0 ? piece.subarray(PREFIX_BYTES) : piece);
}

function readPrefix(bytes: Uint8Array, path: string): { headerBytes: number; sha256: string } {
  const prefix = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (prefix.length < PREFIX_BYTES || prefix.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw damaged(path, 'the file is not a Squitter table');
  const version = prefix.readUInt32LE(8);
  if (version !== LAYOUT_VERSION) throw damaged(path, `expected layout version ${LAYOUT_VERSION}, got ${version}`);
  return { headerBytes: prefix.readUInt32LE(12), sha256: prefix.toString('hex', 16, PREFIX_BYTES) };
}

function tableIn(bytes: Uint8Array<ArrayBuffer>, { headerBytes }: { headerBytes: number }, path: string): ColumnTable {
  const end = PREFIX_BYTES + headerBytes;
  let header: Header;
  try {
    header = JSON.parse(Buffer.from(bytes.buffer, PREFIX_BYTES, headerBytes).toString()) as Header;
  } catch (error) {
    throw damaged(path, 'the header cannot be read', error);
  }
  const columns = new Map<string, Column>();
  let at = end;
  for (const { name, type, length } of header.columns) {
    const { BYTES_PER_ELEMENT } = columnTypes[type];
    if (at + length * BYTES_PER_ELEMENT > bytes.length) throw damaged(path, `column ${name} is cut off`);
    columns.set(name, new columnTypes[type](bytes.buffer, at, length));
    at += alignedUp(length * BYTES_PER_ELEMENT);
  }
  return { kind: header.kind, rows: header.rows, columns };
}

function damaged(path: string, detail: string, cause?: unknown): SquitterError {
  return new SquitterError('reference.damaged', { path, detail }, cause);
}

function typeOf(column: Column): ColumnType {
  return (Object.keys(columnTypes) as ColumnType[]).find((type) => column instanceof columnTypes[type])!;
}

function padded(bytes: Uint8Array, filler: number): Uint8Array {
  const length = alignedUp(bytes.length);
  if (length === bytes.length) return bytes;
  const whole = new Uint8Array(length).fill(filler);
  whole.set(bytes);
  return whole;
}

function alignedUp(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
