// Errors as a gRPC code with details, read back with the field numbers of google.rpc.
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorKinds, SquitterError } from '../../schemas/errors.ts';
import { badValue, QueryError } from '../queries/errors.ts';
import { failureOf, rpcCodes, statusBytes } from './failures.ts';

type Decoded = { readonly [number: number]: (string | number)[] };

/** Fields of a message by number: numbers, and texts or messages as bytes in Latin-1. */
function decoded(bytes: Uint8Array): Decoded {
  const reader = new BinaryReader(bytes);
  const fields: Record<number, (string | number)[]> = {};
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const value = wireType === 0 ? Number(reader.int64()) : Buffer.from(reader.bytes()).toString('latin1');
    fields[number] = [...(fields[number] ?? []), value];
  }
  return fields;
}
const inner = (value: string | number | undefined): Decoded => decoded(Buffer.from(String(value), 'latin1'));

describe('failures', () => {
  it('have a code, the text of the catalogue and its stable code', () => {
    const { code, message, details, fault, retryAfterS } = failureOf(new QueryError('api.unknown_aircraft', { hex: '4840d6' }));
    expect({ code, message, fault, retryAfterS }).toEqual({
      ...{ code: rpcCodes.notFound, message: 'no aircraft with the address 4840d6 was heard lately', fault: null, retryAfterS: null },
    });
    expect(details.map(({ type }) => type)).toEqual(['google.rpc.ErrorInfo']);
    expect(decoded(details[0]!.value)).toEqual({ 1: ['UNKNOWN_AIRCRAFT'], 2: ['squitter'] });
  });

  it('name the wrong arguments', () => {
    const { code, details } = failureOf(badValue('lat', '91', 'expected at most 90'));
    expect(code).toBe(rpcCodes.invalidArgument);
    expect(details.map(({ type }) => type)).toEqual(['google.rpc.ErrorInfo', 'google.rpc.BadRequest']);
    expect(inner(decoded(details[1]!.value)[1]![0])).toEqual({ 1: ['lat'], 2: ['expected at most 90'] });
  });

  it('say when to call again', () => {
    const failure = failureOf(new QueryError('api.no_snapshot', { seconds: 60 }, { retryAfterS: 5 }));
    expect(failure).toMatchObject({ code: rpcCodes.unavailable, retryAfterS: 5 });
    const status = decoded(statusBytes(failure));
    expect(status[1]).toEqual([rpcCodes.unavailable]);
    expect(status[2]).toEqual(['no live data yet, or the data are older than 60 s']);
    const details = status[3]!.map(inner);
    expect(details.map((any) => any[1]![0])).toEqual([
      'type.googleapis.com/google.rpc.ErrorInfo',
      'type.googleapis.com/google.rpc.RetryInfo',
    ]);
    // RetryInfo.retry_delay is a google.protobuf.Duration.
    expect(inner(inner(details[1]![2]![0])[1]![0])).toEqual({ 1: [5] });
  });

  it('keep the text of an unknown error to themselves', () => {
    const cause = new Error('secret');
    const failure = failureOf(cause);
    expect(failure).toMatchObject({ code: rpcCodes.internal, fault: cause });
    expect(failure.message).not.toContain('secret');
    const internal = failureOf(new SquitterError('log.io_failed', { path: 'x', detail: 'secret' }));
    expect(internal).toMatchObject({ code: rpcCodes.internal });
    expect(Buffer.from(statusBytes(internal)).toString()).not.toContain('secret');
  });

  it('do not blame the arguments for an error that passes', () => {
    const retriable = (Object.keys(errorKinds) as ErrorCode[]).filter((code) => code.startsWith('api.') && errorKinds[code].retriable);
    const fatal: number[] = [rpcCodes.invalidArgument, rpcCodes.unimplemented];
    for (const code of retriable) expect(fatal).not.toContain(failureOf(new SquitterError(code)).code);
  });
});
