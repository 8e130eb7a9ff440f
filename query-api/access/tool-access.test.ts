// The tool server's access rule: the operator, feeders, the same machine; others with an open trial.
import { describe, expect, test } from 'vitest';
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

test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('a program on this machine (%s) needs no key', (address) => {
  expect(refusal(address, { host: '127.0.0.1:8080', 'user-agent': 'x' })).toBeNull();
});

test.each(['192.0.2.1', '10.0.0.1', '::ffff:10.0.0.1', '2001:db8::1', '1127.0.0.1', '127.0.0.1.example', '::1%lo', ''])(
  'any other address (%s) does',
  (address) => {
    expect(refusal(address, {})).toBe('access.no_key');
  },
);

describe('a connection from this machine that a proxy forwards', () => {
  test.each(['forwarded', 'x-forwarded-for', 'x-forwarded-anything', 'x-real-ip', 'via', 'cf-connecting-ip'])(
    'is not one of this machine: %s',
    (name) => {
      expect(isSameMachine('127.0.0.1', { [name]: '' })).toBe(false);
      expect(refusal('127.0.0.1', { [name]: '127.0.0.1' })).toBe('access.no_key');
    },
  );
});

test.each(['localhost', 'LOCALHOST:8080', '127.0.0.1:8080', '[::1]:8080'])('%s is a name of this machine', (host) => {
  expect(isSameMachine('127.0.0.1', { host })).toBe(true);
});

test.each(['planes.example', 'localhost.planes.example', '127.0.0.1.planes.example:8080', '192.0.2.1', ''])(
  'who asks this machine for %s comes through a proxy, or a name that leads here',
  (host) => {
    expect(isSameMachine('127.0.0.1', { host })).toBe(false);
  },
);

test('the operator and feeders are admitted from any address', () => {
  for (const caller of [plainCaller(OPERATOR), { ...plainCaller('feeder/1', 'free'), isFeeder: true }])
    expect(() => admitToTools(caller, '192.0.2.1', { via: '1.1 proxy' }, { isTrialOpen: false })).not.toThrow();
});

test('an open trial admits every caller', () => {
  expect(refusal('192.0.2.1', {}, true)).toBeNull();
  expect(refusal('127.0.0.1', { via: '1.1 proxy' }, true)).toBeNull();
});
