// The operator, and the headers that count: by hand, and against a generator of headers, addresses and proxies.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AccessRules, Operators } from './operators.ts';

const operators = (rules: Partial<AccessRules> = {}): Operators =>
  new Operators({ profile: 'home', unlimited: [], trustedProxies: [], pages: 'people', ...rules }, () => 0);
const host = 'localhost:8080';

describe('at home', () => {
  const isOperator = (address: string): boolean => operators().isOperator(address, { host });
  const isAskingFor = (name: string): boolean[] =>
    [{ host: name }, { ':authority': name }].map((headers) => operators().isOperator('192.168.0.9', headers));

  test.each([
    [true, ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '192.168.0.9', '172.16.0.1', 'fd00::1', 'fe80::1%eth0']],
    [false, ['192.0.2.1', '8.8.8.8', '172.32.0.1', '2001:db8::1', '', 'unknown', '127.0.0.1.example']],
  ])('%s: %o', (is, addresses) => {
    for (const address of addresses) expect([address, isOperator(address)]).toEqual([address, is]);
  });

  test.each([
    [true, ['127.0.0.1:8080', '[::1]:8080', '[fd00::1]', 'nas', 'NAS:80', 'planes.local', 'localhost', '192.168.0.2']],
    // A tunnel, or a name that leads here.
    [false, ['planes.example', 'localhost.planes.example', '127.0.0.1.nip.io', 'a.local.example', '', 'a b', '[::1']],
  ])('%s: asking for %o', (is, names) => {
    for (const name of names) expect([name, ...isAskingFor(name)]).toEqual([name, is, is]);
  });

  test.each(['forwarded', 'x-forwarded-for', 'x-forwarded-anything', 'x-real-ip', 'via', 'cf-connecting-ip'])(
    'not through a proxy that adds %s, trusted or not',
    (name) => {
      for (const trustedProxies of [[], ['127.0.0.1']])
        expect(operators({ trustedProxies }).isOperator('127.0.0.1', { host, [name]: '' })).toBe(false);
    },
  );
});

test('with tiers only the named networks are, whatever they ask for', () => {
  const rules = operators({ profile: 'tiers', unlimited: ['192.0.2.0/24', '2001:db8::/32', '10.0.0.1'] });
  const is = (address: string): boolean => rules.isOperator(address, { host: 'planes.example' });
  expect(['192.0.2.9', '2001:db8:1::1', '10.0.0.1', '::ffff:192.0.2.9'].map(is)).toEqual([true, true, true, true]);
  expect(['192.0.3.9', '2001:db9::1', '10.0.0.2', '127.0.0.1', ''].map(is)).toEqual([false, false, false, false, false]);
});

test.each(['x', '10.0.0.0/33', '10.0.0.0/', '10.0.0/8', '::/129', '10.0.0.0/8/8', '10.0.0.0/1e1'])('%s is no network', (network) => {
  expect(() => operators({ unlimited: [network] })).toThrow(expect.objectContaining({ code: 'access.bad_network' }));
});

describe('the address of a client', () => {
  const behind = operators({ trustedProxies: ['10.0.0.0/8'] });

  test.each([
    ['x-forwarded-for', '192.0.2.1'],
    ['x-forwarded-for', '203.0.113.5, 192.0.2.1'],
    ['x-forwarded-for', '203.0.113.5,192.0.2.1:4711, 10.1.1.1'],
    ['forwarded', 'for=192.0.2.1;proto=https'],
    ['forwarded', 'for=203.0.113.5, proto=http;FOR="192.0.2.1:80";by=10.0.0.1'],
  ])('is the last one that is no trusted proxy: %s: %s', (name, value) => {
    expect(behind.addressOf('10.0.0.1', { [name]: value })).toBe('192.0.2.1');
    expect(behind.addressOf('::ffff:10.0.0.1', { [name]: value })).toBe('192.0.2.1');
    expect(behind.addressOf('203.0.113.1', { [name]: value })).toBe('203.0.113.1');
  });

  test('is that of the proxy where it reports none, or two headers disagree', () => {
    for (const value of ['', 'unknown', 'for=_hidden', 'x, y', '192.0.2.1 203.0.113.1'])
      for (const name of ['forwarded', 'x-forwarded-for']) expect(behind.addressOf('10.0.0.1', { [name]: value })).toBe('10.0.0.1');
    expect(behind.addressOf('10.0.0.1', { forwarded: 'for=192.0.2.1', 'x-forwarded-for': '192.0.2.2' })).toBe('10.0.0.1');
    expect(behind.addressOf('10.0.0.1', { forwarded: 'for="[2001:db8::1]:80"', 'x-forwarded-for': '2001:db8::1' })).toBe('2001:db8::1');
  });

  test('whatever a client writes, it is its own, as the proxy appends it', () => {
    const address = fc.oneof(fc.ipV4(), fc.constantFrom('10.0.0.7', '127.0.0.1', '192.168.1.1', 'unknown', '"', 'for=10.0.0.1'));
    fc.assert(
      fc.property(fc.array(address), fc.array(fc.tuple(fc.constantFrom('via', 'x-real-ip', 'host'), fc.string())), (forged, others) => {
        const headers = { ...Object.fromEntries(others), 'x-forwarded-for': [...forged, '198.51.100.7'].join(', ') };
        expect(behind.addressOf('10.0.0.1', headers)).toBe('198.51.100.7');
        expect(behind.isOperator('198.51.100.7', headers)).toBe(false);
        expect(operators().addressOf('198.51.100.7', headers)).toBe('198.51.100.7');
      }),
    );
  });
});
