// One form for each address, and addresses that many hosts share.
import { expect, it } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { isPrivateAddress, Networks, plainAddress, principalAddress } from './plain-address.ts';

it('an IPv4 client of a dual-stack socket has its IPv4 address', () => {
  expect(['::ffff:192.0.2.1', '::FFFF:192.0.2.1', '192.0.2.1', '::1'].map(plainAddress)).toEqual([
    '192.0.2.1',
    '192.0.2.1',
    '192.0.2.1',
    '::1',
  ]);
});

it('an IPv6 host is its /64 network, an IPv4 host its address', () => {
  expect(
    ['::1', 'fe80::1%eth0', '2001:DB8:1:2:3:4:5:6', '1::', '2001:db8::3', '192.0.2.7', '::ffff:192.0.2.7'].map(principalAddress),
  ).toEqual(['0:0:0:0::/64', 'fe80:0:0:0::/64', '2001:db8:1:2::/64', '1:0:0:0::/64', '2001:db8:0:0::/64', '192.0.2.7', '192.0.2.7']);
});

it('private addresses are told from public ones', () => {
  const hidden = ['10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '127.0.0.1', '169.254.1.1', '100.64.0.1', '0.0.0.0'];
  const hiddenV6 = ['::1', '::', 'fe80::1%eth0', 'fd00::1', '::ffff:10.0.0.1', 'unknown'];
  for (const address of [...hidden, ...hiddenV6]) expect(isPrivateAddress(address), address).toBe(true);
  for (const address of ['192.0.2.1', '172.32.0.1', '100.128.0.1', '2001:db8::1', '::ffff:198.51.100.7'])
    expect(isPrivateAddress(address), address).toBe(false);
});

it('a list of networks is right about more addresses than it remembers', () => {
  const networks = new Networks('--flag', ['10.0.0.0/17', '2001:db8::/32']);
  const hosts = Array.from({ length: limits.networkChecksMax + 10 }, (_, n) => `10.0.${n >> 8}.${n & 255}`);
  for (const address of [...hosts, ...hosts.slice(0, 20)]) {
    expect(networks.has(address), address).toBe(true);
    expect(networks.has(address.replace('10.0.', '10.1.')), address).toBe(false);
  }
  expect([networks.has('2001:db8::1%eth0'), networks.has('nothing')]).toEqual([true, false]);
});
