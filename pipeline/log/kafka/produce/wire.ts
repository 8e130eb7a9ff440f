// Requests that kafkajs has no form for, sent over its brokers: they keep the connection, its login and its time-outs.
// Numbers are big-endian. A compact string or list has its length plus one before it, as an unsigned varint, 0 for null;
// where a version is flexible, every structure ends with tagged fields, of which we send none (0) and expect none.
import { createRequire } from 'node:module';
import type { Broker } from 'kafkajs';

const BYTES_MIN = 256;

const { createErrorFromCode } = createRequire(import.meta.url)('kafkajs/src/protocol/error.js') as {
  createErrorFromCode(code: number): Error;
};

/** An error as kafkajs makes it of a broker's code: with a `type` by name, and `retriable`. */
export function protocolError(code: number): Error {
  return createErrorFromCode(code);
}

export class WireWriter {
  private bytes: Buffer;
  private length = 0;

  /** `bytesMax`: room for all that will be written. */
  constructor(bytesMax: number = BYTES_MIN) {
    this.bytes = Buffer.allocUnsafe(bytesMax);
  }

  get written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  int8(value: number): this {
    this.length = this.bytes.writeInt8(value, this.length);
    return this;
  }

  int16(value: number): this {
    this.length = this.bytes.writeInt16BE(value, this.length);
    return this;
  }

  int32(value: number): this {
    this.length = this.bytes.writeInt32BE(value, this.length);
    return this;
  }

  int64(value: bigint): this {
    this.length = this.bytes.writeBigInt64BE(value, this.length);
    return this;
  }

  /** Unsigned varint. */
  varint(value: number): this {
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.length = this.bytes.writeUInt8((rest & 0x7f) | 0x80, this.length);
    this.length = this.bytes.writeUInt8(rest, this.length);
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

  block(value: Uint8Array): this {
    this.int32(value.length);
    this.bytes.set(value, this.length);
    this.length += value.length;
    return this;
  }

  private text(value: string): this {
    this.length += this.bytes.write(value, this.length);
    return this;
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

  /** An error code; throws what it stands for, see `protocolError`. */
  succeeded(): void {
    const code = this.int16();
    if (code !== 0) throw protocolError(code);
  }

  /** Not null. */
  string(): string {
    const bytes = this.int16();
    this.at += bytes;
    return this.bytes.toString('utf8', this.at - bytes, this.at);
  }

  skipCompactString(): void {
    const bytes = this.varint() - 1;
    this.at += bytes;
  }
}

/** A request and what its answer means. */
export interface WireRequest<Answer> {
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly apiName: string;
  readonly body: Buffer;
  /** Errors: those of brokers, see `protocolError`. */
  read(answer: WireReader): Answer;
}

/** What kafkajs sends, from inside: a `request` with an encoder's buffers, and a `response` that takes the bytes after the correlation id. */
interface Protocol<Answer> {
  readonly request: {
    readonly apiKey: number;
    readonly apiVersion: number;
    readonly apiName: string;
    readonly expectResponse: () => boolean;
    readonly encode: () => Promise<{ readonly buf: Buffer; readonly buffer: Buffer }>;
  };
  readonly response: { decode(bytes: Buffer): Promise<object>; parse(answer: object): Promise<Answer> };
  readonly logResponseError: boolean;
}

interface WireBroker extends Broker {
  readonly connectionPool: { send<Answer>(protocol: Protocol<Answer>): Promise<Answer> };
}

/** Sends a request over kafkajs's connection to a broker. Errors: those of kafkajs. */
export function sendWire<Answer>(broker: Broker, { apiKey, apiVersion, apiName, body, read }: WireRequest<Answer>): Promise<Answer> {
  let answer: WireReader;
  return (broker as WireBroker).connectionPool.send<Answer>({
    request: { apiKey, apiVersion, apiName, expectResponse: () => true, encode: async () => ({ buf: body, buffer: body }) },
    response: {
      decode: async (bytes) => {
        answer = new WireReader(bytes);
        return answer;
      },
      parse: async () => read(answer),
    },
    // Whoever sends it knows what an error means.
    logResponseError: false,
  });
}
