// The primitive types of Kafka's protocol. Numbers are big-endian. A compact string or list has its length plus one before it, as an unsigned varint,
// 0 for null. In flexible versions every structure ends with tagged fields; the log sends none (0) and expects none.
import { protocolError } from '../kafkajs-transport.ts';

const FIRST_BYTES = 256;
/** Most bytes of a UTF-16 character in UTF-8. */
export const CHARACTER_BYTES = 3;
const VARINT_BYTES = 5;

export class WireWriter {
  private bytes: Buffer;
  private length = 0;

  /** `bytesFirst` is the initial size; the buffer grows as needed. */
  constructor(bytesFirst: number = FIRST_BYTES) {
    this.bytes = Buffer.allocUnsafe(bytesFirst);
  }

  get written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  int8(value: number): this {
    this.reserve(1);
    this.length = this.bytes.writeInt8(value, this.length);
    return this;
  }

  int16(value: number): this {
    this.reserve(2);
    this.length = this.bytes.writeInt16BE(value, this.length);
    return this;
  }

  int32(value: number): this {
    this.reserve(4);
    this.length = this.bytes.writeInt32BE(value, this.length);
    return this;
  }

  int64(value: bigint): this {
    this.reserve(8);
    this.length = this.bytes.writeBigInt64BE(value, this.length);
    return this;
  }

  /** Unsigned varint. */
  varint(value: number): this {
    this.reserve(VARINT_BYTES);
    let left = value;
    for (; left > 0x7f; left >>>= 7) this.length = this.bytes.writeUInt8((left & 0x7f) | 0x80, this.length);
    this.length = this.bytes.writeUInt8(left, this.length);
    return this;
  }

  string(value: string | null): this {
    if (value === null) return this.int16(-1);
    return this.int16(Buffer.byteLength(value)).text(value);
  }

  compactString(value: string | null): this {
    if (value === null) return this.varint(0);
    return this.varint(Buffer.byteLength(value) + 1).text(value);
  }

  /** Bytes after their length. */
  block(value: Uint8Array): this {
    this.int32(value.length).reserve(value.length);
    this.bytes.set(value, this.length);
    this.length += value.length;
    return this;
  }

  /** A list after its length. */
  list<Item>(items: readonly Item[], write: (item: Item) => void): this {
    this.int32(items.length);
    for (const item of items) write(item);
    return this;
  }

  /** Items grouped by topic: name and list of each topic. */
  topics<Item extends { readonly topic: string }>(items: readonly Item[], write: (item: Item) => void): this {
    const byTopic = new Map<string, Item[]>();
    for (const item of items) {
      const others = byTopic.get(item.topic);
      if (others === undefined) byTopic.set(item.topic, [item]);
      else others.push(item);
    }
    return this.list([...byTopic], ([topic, own]) => this.string(topic).list(own, write));
  }

  private text(value: string): this {
    this.reserve(CHARACTER_BYTES * value.length);
    this.length += this.bytes.write(value, this.length);
    return this;
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.length + bytes));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}

export class WireReader {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  int16(): number {
    this.at += 2;
    return this.bytes.readInt16BE(this.at - 2);
  }

  int32(): number {
    this.at += 4;
    return this.bytes.readInt32BE(this.at - 4);
  }

  int64(): bigint {
    this.at += 8;
    return this.bytes.readBigInt64BE(this.at - 8);
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes.readUInt8(this.at);
      this.at += 1;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  /** Reads an error code and throws its error, see `protocolError`. */
  succeeded(): void {
    const code = this.int16();
    if (code !== 0) throw protocolError(code);
  }

  /** '' for null. */
  string(): string {
    const bytes = Math.max(0, this.int16());
    this.at += bytes;
    return this.bytes.toString('utf8', this.at - bytes, this.at);
  }

  /** A view of the response; empty for null. */
  block(): Buffer {
    const bytes = Math.max(0, this.int32());
    this.at += bytes;
    return this.bytes.subarray(this.at - bytes, this.at);
  }

  list<Item>(read: () => Item): Item[] {
    const items: Item[] = [];
    for (let left = this.int32(); left > 0; left -= 1) items.push(read());
    return items;
  }

  skipCompactString(): void {
    const bytes = this.varint() - 1;
    this.at += bytes;
  }
}

/** Begins a response with its throttle time and its error, which is thrown. */
export function succeeded(bytes: Buffer): WireReader {
  const response = new WireReader(bytes);
  response.int32();
  response.succeeded();
  return response;
}
