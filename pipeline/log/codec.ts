// Values of topics: Avro in Confluent's wire format (byte 0, schema id u32 big-endian, Avro body), by the names of the topic table.
import type { Type } from 'avsc';
import { type AvroName, type AvroTypes, avroSchemas } from '../../schemas/avro/index.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { topicIds, topics } from '../../schemas/topics.ts';
import { AvroWriter } from '../avro/writer.ts';
import { avroType } from './avro.ts';
import type { SchemaRegistry } from './schema-registry.ts';

export interface TopicCodec<T> {
  /** A new buffer of its own. Error: `schema.malformed_value` when the value does not fit the schema. */
  encode(value: T): Buffer;
  /** As `encode`, of a value that `write` writes itself, field by field as the schema has them. */
  encodeWith(write: (writer: AvroWriter) => void): Buffer;
  /** Writes what stands before a body that is then written after it, field by field as the schema has them. */
  writeHead(writer: AvroWriter): void;
  /**
   * Byte fields of the result are views of `bytes`: copy what outlives them.
   * Errors: `schema.malformed_value`, `schema.unknown_id`.
   */
  decode(bytes: Uint8Array): T;
  /**
   * Where the Avro body begins in a value whose writer had the schema of this code, for a reader of its own; −1 for any other value, of which
   * `decode` knows more. Whoever reads the body must expect anything in it.
   */
  bodyStart(bytes: Uint8Array): number;
}

export type Codecs = { readonly [Name in AvroName]: TopicCodec<AvroTypes[Name]> };

const HEAD_BYTES = 5;
const ENCODE_BYTES_MIN = 4096;
/** avsc prints the whole value into its messages. */
const ERROR_DETAIL_CHARACTERS_MAX = 200;

/**
 * Codecs of all Avro topics. Registers the schemas this code writes; a reader (`canWrite` false) encodes with those that are registered already.
 * Errors: `schema.incompatible`.
 */
export async function openCodecs(registry: SchemaRegistry, canWrite = true): Promise<Codecs> {
  const codecs: Partial<Record<AvroName, TopicCodec<unknown>>> = {};
  for (const topic of topicIds) {
    const name = topics[topic].value;
    if (name === 'bytes') continue;
    const subject = `${topics[topic].name}-value`;
    const id = await (canWrite ? registry.register(subject, avroSchemas[name]) : registry.find(subject, avroSchemas[name]));
    // Schemas of other versions are fetched before the first value needs them: decoding does not wait.
    for (const version of await registry.versions(subject)) await registry.schema(version);
    codecs[name] = createCodec(subject, avroType(avroSchemas[name]), id, registry);
  }
  return codecs as Codecs;
}

function createCodec(subject: string, type: Type, ownId: number | null, registry: SchemaRegistry): TopicCodec<unknown> {
  let scratch = Buffer.allocUnsafeSlow(ENCODE_BYTES_MIN);
  const writer = new AvroWriter();
  // null: written with the very schema that reads it.
  const resolvers = new Map<number, ReturnType<Type['createResolver']> | null>();
  if (ownId !== null) resolvers.set(ownId, null);

  const malformed = (error: unknown) => {
    const detail = (error as Error).message.slice(0, ERROR_DETAIL_CHARACTERS_MAX);
    return new SquitterError('schema.malformed_value', { subject, detail });
  };

  const notRegistered = () => malformed(new Error('its schema is not registered, and this process only reads'));

  const bodyStart = (bytes: Uint8Array): number => {
    if (bytes.length < HEAD_BYTES || bytes[0] !== 0) return -1;
    const id = ((bytes[1]! << 24) | (bytes[2]! << 16) | (bytes[3]! << 8) | bytes[4]!) >>> 0;
    return id === ownId || resolvers.get(id) === null ? HEAD_BYTES : -1;
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
      let end: number;
      try {
        end = type.encode(value, scratch, HEAD_BYTES);
        if (end < 0) {
          // The negative rest says how much was missing.
          scratch = Buffer.allocUnsafeSlow(2 * (scratch.length - end));
          end = type.encode(value, scratch, HEAD_BYTES);
        }
      } catch (error) {
        throw malformed(error);
      }
      scratch[0] = 0;
      scratch.writeUInt32BE(ownId, 1);
      return Buffer.from(scratch.subarray(0, end));
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
      if (buffer.length < HEAD_BYTES || buffer[0] !== 0) throw malformed(new Error('it does not begin with a schema id'));
      const resolver = resolverOf(buffer.readUInt32BE(1));
      let decoded: { value: unknown; offset: number };
      try {
        decoded = resolver === null ? type.decode(buffer, HEAD_BYTES) : type.decode(buffer, HEAD_BYTES, resolver);
      } catch (error) {
        throw malformed(error);
      }
      if (decoded.offset < 0) throw malformed(new Error('it is cut short'));
      if (decoded.offset !== buffer.length) throw malformed(new Error(`${buffer.length - decoded.offset} bytes too many`));
      return decoded.value;
    },
    bodyStart,
  };
}
