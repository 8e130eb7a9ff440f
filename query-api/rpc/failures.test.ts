// Errors as a gRPC code: secrets stay in the service, and errors that pass do not blame the arguments.
import { expect, it } from 'vitest';
import { type ErrorCode, errorKinds, grpcCodes, SquitterError } from '../../schemas/errors.ts';
import { connectError } from './failures.ts';

it.each([
  ['an unknown error', new Error('secret')],
  ['an error of the service', new SquitterError('log.io_failed', { path: 'x', detail: 'secret' })],
])('the text of %s is logged, and not sent', (_name, error) => {
  const faults: unknown[] = [];
  const sent = connectError(error, (fault) => faults.push(fault));
  expect([sent.code, faults]).toEqual([grpcCodes.internal, [error]]);
  expect(sent.rawMessage + JSON.stringify(sent.details)).not.toContain('secret');
});

it('an error that passes does not blame the arguments', () => {
  const retriable = (Object.keys(errorKinds) as ErrorCode[]).filter((code) => code.startsWith('api.') && errorKinds[code].retriable);
  const fatal: number[] = [grpcCodes.invalidArgument, grpcCodes.unimplemented];
  for (const code of retriable) expect(fatal).not.toContain(connectError(new SquitterError(code), () => {}).code);
});
