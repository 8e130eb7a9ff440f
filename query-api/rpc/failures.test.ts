// Errors as a gRPC code with details, read back with the field numbers of google.rpc.
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorKinds, grpcCodes, SquitterError } from '../../schemas/errors.ts';
import { badValue, QueryError } from '../queries/errors.ts';
import { connectError } from './failures.ts';

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

/** The error as a port has it, and what is logged. */
function failureOf(error: unknown) {
  const faults: unknown[] = [];
  const { code, rawMessage, metadata, details } = connectError(error, (fault) => faults.push(fault));
  return {
    ...{ code: code as number, message: rawMessage, retryAfter: metadata.get('retry-after'), faults },
    details: details as { type: string; value: Uint8Array }[],
  };
}

/** google.rpc.Status, as the library makes it of the error. */
function statusBytes(error: unknown): Buffer {
  const trailer = setTrailerStatus(
    new Headers(),
    connectError(error, () => {}),
  );
  return Buffer.from(trailer.get('grpc-status-details-bin')!, 'base64');
}

describe('failures', () => {
  it('name the wrong arguments', () => {
    const { code, details } = failureOf(badValue('lat', '91', 'expected at most 90'));
    expect(code).toBe(grpcCodes.invalidArgument);
    expect(details.map(({ type }) => type)).toEqual(['google.rpc.ErrorInfo', 'google.rpc.BadRequest']);
    expect(inner(decoded(details[1]!.value)[1]![0])).toEqual({ 1: ['lat'], 2: ['expected at most 90'] });
  });

  it('say when to call again', () => {
    const error = new QueryError('api.no_snapshot', { seconds: 60 }, { retryAfterS: 5 });
    expect(failureOf(error)).toMatchObject({ code: grpcCodes.unavailable, retryAfter: '5' });
    const status = decoded(statusBytes(error));
    expect(status[1]).toEqual([grpcCodes.unavailable]);
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
    expect(failure).toMatchObject({ code: grpcCodes.internal, faults: [cause] });
    expect(failure.message).not.toContain('secret');
    const internal = new SquitterError('log.io_failed', { path: 'x', detail: 'secret' });
    expect(failureOf(internal)).toMatchObject({ code: grpcCodes.internal, faults: [internal] });
    expect(statusBytes(internal).toString()).not.toContain('secret');
  });

  it('do not blame the arguments for an error that passes', () => {
    const retriable = (Object.keys(errorKinds) as ErrorCode[]).filter((code) => code.startsWith('api.') && errorKinds[code].retriable);
    const fatal: number[] = [grpcCodes.invalidArgument, grpcCodes.unimplemented];
    for (const code of retriable) expect(fatal).not.toContain(failureOf(new SquitterError(code)).code);
  });
});
