// Codecs for the values of topics: Avro in Confluent's wire format (byte 0, schema id u32 big-endian, Avro body).
import type { Type } from 'avsc';
import { type AvroName, type AvroTypes, avroSchemas } from '../../schemas/avro/index.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { topicIds, topics } from '../../schemas/topics.ts';
import { AvroWriter } from '../avro/writer.ts';
import { avroType } from './avro.ts';
import type { SchemaRegistry } from './schema-registry.ts';

export interface TopicCodec<T> {
  /** Encodes into a new buffer. Error: `schema.malformed_value` if the value does not fit the schema. */
  encode(value: T): Buffer;
  /** Like `encode`, for a value that `write` writes field by field in the order of the schema. */
  encodeWith(write: (writer: AvroWriter) => void): Buffer;
  /** Writes the wire format's head. The caller then writes the fields in the order of the schema. */
  writeHead(writer: AvroWriter): void;
  /**
   * Byte fields of the result are views of `bytes`: copy them if they must outlive it.
   * Errors: `schema.malformed_value`, `schema.unknown_id`.
   */
  decode(bytes: Uint8Array): T;
  /**
   * Start of the Avro body if the value, which is all bytes or some of them, has the schema of this code, for a custom reader; −1 for any other value,
   * which needs `decode`.
   * A custom reader must expect arbitrary bytes.
   */
  bodyStart(bytes: Uint8Array, start?: number, end?: number): number;
}

export type Codecs = { readonly [Name in AvroName]: TopicCodec<AvroTypes[Name]> };

const HEAD_BYTES = 5;

/** The schema id with which a value begins; -1 if it does not begin with one. */
export function schemaIdOf(bytes: Uint8Array, start = 0, end = bytes.length): number {
  if (end - start < HEAD_BYTES || bytes[start] !== 0) return -1;
  return ((bytes[start + 1]! << 24) | (bytes[start + 2]! << 16) | (bytes[start + 3]! << 8) | bytes[start + 4]!) >>> 0;
}

/**
 * Opens the codecs of all Avro topics. A writer registers its schemas; a reader (`canWrite` false) can encode only with registered schemas.
 * Error: `schema.incompatible`.
 */
export async function openCodecs(registry: SchemaRegistry, canWrite = true): Promise<Codecs> {
  const codecs: Partial<Record<AvroName, TopicCodec<unknown>>> = {};
  for (const topic of topicIds) {
    const name = topics[topic].value;
    if (name === 'bytes') continue;
    const subject = `${topics[topic].name}-value`;
    const id = await (canWrite ? registry.register(subject, avroSchemas[name]) : registry.find(subject, avroSchemas[name]));
    // Fetches the schemas of other versions in advance, because decoding is synchronous.
    for (const version of await registry.versions(subject)) await registry.schema(version);
    codecs[name] = createCodec(subject, avroType(avroSchemas[name]), id, registry);
  }
  return codecs as Codecs;
}

function createCodec(subject: string, type: Type, ownId: number | null, registry: SchemaRegistry): TopicCodec<unknown> {
  const writer = new AvroWriter();
  // null: writer and reader have the same schema.
  const resolvers = new Map<number, ReturnType<Type['createResolver']> | null>();
  if (ownId !== null) resolvers.set(ownId, null);

  const malformed = (error: unknown) => {
    const detail = (error as Error).message.slice(0, limits.schemaDetailCharactersMax);
    return new SquitterError('schema.malformed_value', { subject, detail });
  };

  const notRegistered = () => malformed(new Error('the schema is not registered, and this process is read-only'));

  const bodyStart = (bytes: Uint8Array, start = 0, end = bytes.length): number => {
    const id = schemaIdOf(bytes, start, end);
    if (id < 0) return -1;
    return id === ownId || resolvers.get(id) === null ? start + HEAD_BYTES : -1;
  };

  const writeHead = (writer: AvroWriter): void => {
    if (ownId === null) throw notRegistered();
    writer.reserve(HEAD_BYTES);
    writer.byte(0);
    writer.length = writer.bytes.writeUInt32BE(ownId, writer.length);
  };

  const resolverOf = (id: number) => {
    const known = resolvers.get(id);
    if (known !== undefined) return known;
    const writer = registry.schemaNow(id);
    if (writer === null) throw new SquitterError('schema.unknown_id', { id });
    const resolver = writer.equals(type) ? null : type.createResolver(writer);
    resolvers.set(id, resolver);
    return resolver;
  };

  return {
    encode(value) {
      if (ownId === null) throw notRegistered();
      let body: Buffer;
      try {
        body = type.toBuffer(value);
      } catch (error) {
        throw malformed(error);
      }
      const bytes = Buffer.allocUnsafe(HEAD_BYTES + body.length);
      bytes[0] = 0;
      bytes.writeUInt32BE(ownId, 1);
      body.copy(bytes, HEAD_BYTES);
      return bytes;
    },
    writeHead,
    encodeWith(write) {
      writer.reset();
      writeHead(writer);
      write(writer);
      return Buffer.from(writer.bytes.subarray(0, writer.length));
    },
    decode(bytes) {
      const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const id = schemaIdOf(bytes);
      if (id < 0) throw malformed(new Error('the value does not begin with a schema id'));
      const resolver = resolverOf(id);
      let decoded: { value: unknown; offset: number };
      try {
        decoded = resolver === null ? type.decode(buffer, HEAD_BYTES) : type.decode(buffer, HEAD_BYTES, resolver);
      } catch (error) {
        throw malformed(error);
      }
      if (decoded.offset < 0) throw malformed(new Error('the value is cut short'));
      if (decoded.offset !== buffer.length) throw malformed(new Error(`expected ${decoded.offset} bytes, got ${buffer.length}`));
      return decoded.value;
    },
    bodyStart,
  };
}
