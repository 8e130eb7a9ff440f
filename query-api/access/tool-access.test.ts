// The tool server's access rule: the operator, feeders, the same machine; others with an open trial.
import { expect, test } from 'vitest';
import type { SquitterError } from '../../schemas/errors.ts';
import { OPERATOR, plainCaller } from './caller.ts';
import { admitToTools, isSameMachine } from './tool-access.ts';

const refusal = (address: string, headers: Record<string, string>, isTrialOpen = false): string | null => {
  try {
    admitToTools(plainCaller(address), address, headers, { isTrialOpen });
    return null;
  } catch (error) {
    return (error as SquitterError).code;
  }
};

// operators.test.ts has all headers of proxies and all forms of names.
// biome-ignore format: a table
const cases: readonly (readonly [isSame: boolean, address: string, headers: Record<string, string>])[] = [
  ...['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'].map((address) => [true, address, { host: '127.0.0.1:8080' }] as const),
  ...['192.0.2.1', '10.0.0.1', '::ffff:10.0.0.1', '2001:db8::1', '1127.0.0.1', '127.0.0.1.example', '::1%lo', ''].map((address) => [false, address, {}] as const),
  ...['localhost', 'LOCALHOST:8080', '127.0.0.1:8080', '[::1]:8080'].map((host) => [true, '127.0.0.1', { host }] as const),
  ...['planes.example', 'localhost.planes.example', '127.0.0.1.planes.example:8080', '192.0.2.1', ''].map((host) => [false, '127.0.0.1', { host }] as const),
  ...['forwarded', 'x-forwarded-anything', 'via'].map((name) => [false, '127.0.0.1', { [name]: '127.0.0.1' }] as const),
];

test.each(cases)('%s: a request from %s with %o is of this machine, and needs no key', (isSame, address, headers) => {
  expect(isSameMachine(address, headers)).toBe(isSame);
  expect(refusal(address, headers)).toBe(isSame ? null : 'access.no_key');
  expect(refusal(address, headers, true)).toBeNull();
  for (const caller of [plainCaller(OPERATOR), { ...plainCaller('feeder/1', 'free'), isFeeder: true }])
    expect(() => admitToTools(caller, address, headers, { isTrialOpen: false })).not.toThrow();
});
