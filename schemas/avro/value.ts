// TypeScript's types of the values of an Avro schema, and fields of such schemas.

interface PlainTypes {
  null: null;
  int: number;
  long: number;
  boolean: boolean;
  string: string;
  bytes: Uint8Array;
}

type Fields = readonly { readonly name: string; readonly type: unknown }[];

/** Value of an Avro type; of a union, which is a list, that of one of its members. */
export type AvroValue<T> = T extends keyof PlainTypes
  ? PlainTypes[T]
  : T extends readonly unknown[]
    ? AvroValue<T[number]>
    : T extends { readonly type: 'record'; readonly fields: infer F extends Fields }
      ? { -readonly [E in F[number] as E['name']]: AvroValue<E['type']> }
      : T extends { readonly type: 'array'; readonly items: infer I }
        ? AvroValue<I>[]
        : T extends { readonly type: 'enum'; readonly symbols: infer S extends readonly string[] }
          ? S[number]
          : never;

/** A value, with narrower types of some of its fields. */
export type Narrowed<T, N extends Partial<T>> = Omit<T, keyof N> & N;

const withDoc = <T extends object>(field: T, doc?: string): T & { readonly doc?: string } =>
  doc === undefined ? field : { ...field, doc };

export const required = <const N extends string, const T>(name: N, type: T, doc?: string) => withDoc({ name, type }, doc);

/** A union of null and a type, null by default. */
export const optional = <const N extends string, const T>(name: N, type: T, doc?: string) =>
  withDoc({ name, type: ['null', type] as const, default: null }, doc);

export const record = <const N extends string, const F extends Fields>(name: N, fields: F) => ({ type: 'record', name, fields }) as const;
