// Reads blocks of FORMAT Native: for the audit, which compares what the store has with what the log gives, and for tests of the encoder.
import type { ColumnDefinition } from './native-block.ts';
import { type NativeType, nativeType } from './native-types.ts';

export type NativeValue = number | string | null;

export interface ReadColumn extends ColumnDefinition {
  readonly values: readonly NativeValue[];
}

export interface ReadBlock {
  readonly rows: number;
  readonly columns: readonly ReadColumn[];
}

/** The blocks in a complete response. Throws when it ends within a block. */
export function readBlocks(bytes: Uint8Array): ReadBlock[] {
  const input = new Input(bytes);
  const blocks: ReadBlock[] = [];
  while (!input.isAtEnd()) blocks.push(readBlock(input));
  return blocks;
}

function readBlock(input: Input): ReadBlock {
  const count = input.varint();
  const rows = input.varint();
  const columns: ReadColumn[] = [];
  for (let i = 0; i < count; i += 1) {
    const name = input.text();
    const type = input.text();
    columns.push({ name, type, values: readValues(input, nativeType(type), rows) });
  }
  return { rows, columns };
}

function readValues(input: Input, type: NativeType, rows: number): NativeValue[] {
  const nulls = type.isNullable ? Array.from({ length: rows }, () => input.number(1, false)) : null;
  const values: NativeValue[] = [];
  for (let row = 0; row < rows; row += 1) {
    const value = type.width === 0 ? input.text() : input.number(type.width, type.min < 0);
    values.push(nulls?.[row] === 1 ? null : value);
  }
  return values;
}

class Input {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.bytes.readUInt8(this.at);
      this.at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  text(): string {
    const length = this.varint();
    const start = this.skip(length);
    return this.bytes.toString('utf8', start, start + length);
  }

  number(width: number, isSigned: boolean): number {
    const at = this.skip(width);
    if (width < 8) return isSigned ? this.bytes.readIntLE(at, width) : this.bytes.readUIntLE(at, width);
    const high = isSigned ? this.bytes.readInt32LE(at + 4) : this.bytes.readUInt32LE(at + 4);
    return high * 2 ** 32 + this.bytes.readUInt32LE(at);
  }

  private skip(bytes: number): number {
    const start = this.at;
    if (start + bytes > this.bytes.length) throw new RangeError('a block is cut short');
    this.at += bytes;
    return start;
  }
}
