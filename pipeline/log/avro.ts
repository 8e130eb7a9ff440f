// The configuration of avsc: unions unwrapped, `long` as a JS number, `bytes` read as views.
import avsc, { type Schema, type Type } from 'avsc';
import { SquitterError } from '../../schemas/errors.ts';

/** avsc's internal buffer reader; its types declare it as unknown. */
interface Tap {
  readonly buf: Buffer;
  pos: number;
  readLong(): number;
}

/** Reads bytes as views. avsc copies them, but a batch of frames is 64 KB that never changes. */
class ViewBytesType extends avsc.types.BytesType {
  _read(tap: Tap): Buffer {
    const bytes = tap.readLong();
    const start = tap.pos;
    // If the position is beyond the end, avsc reports a truncated buffer.
    tap.pos += bytes;
    return tap.buf.subarray(start, tap.pos);
  }
}

/** The type of a schema. Decoded values may be views of the encoded bytes. */
export function avroType(schema: object): Type {
  return avsc.Type.forSchema(
    schema as Schema,
    {
      wrapUnions: false,
      typeHook: (attributes) => {
        const name = typeof attributes === 'object' && 'type' in attributes ? attributes.type : attributes;
        return name === 'bytes' ? new ViewBytesType() : undefined;
      },
    } as Parameters<typeof avsc.Type.forSchema>[1],
  );
}

/** Checks that a schema and each of the others can read each other's values. Error: `schema.incompatible`. */
export function checkFullTransitive(subject: string, schema: object, others: readonly object[]): void {
  for (const other of others) {
    for (const [reader, writer] of [
      [schema, other],
      [other, schema],
    ] as const) {
      try {
        avroType(reader).createResolver(avroType(writer));
      } catch (error) {
        throw new SquitterError('schema.incompatible', { subject, detail: (error as Error).message }, error);
      }
    }
  }
}
