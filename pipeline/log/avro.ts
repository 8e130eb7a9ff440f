// How avsc is set up here, in one place: unions unwrapped, `long` as a JS number, `bytes` read as views.
import avsc, { type Schema, type Type } from 'avsc';
import { SquitterError } from '../../schemas/errors.ts';

/** What avsc's reader of a buffer looks like from inside: its types declare it as unknown. */
interface Tap {
  readonly buf: Buffer;
  pos: number;
  readLong(): number;
}

/** avsc copies bytes when it reads them; a batch of frames is 64 KB that nobody changes. */
class ViewBytesType extends avsc.types.BytesType {
  _read(tap: Tap): Buffer {
    const bytes = tap.readLong();
    const start = tap.pos;
    // Beyond the end the position says so, and avsc reports a truncated buffer.
    tap.pos += bytes;
    return tap.buf.subarray(start, tap.pos);
  }
}

/** The type of a schema. Values decoded with it may refer to the bytes they were decoded from. */
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

/** Checks that a schema reads what each of the others wrote, and each of the others what it wrote. Error: `schema.incompatible`. */
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
