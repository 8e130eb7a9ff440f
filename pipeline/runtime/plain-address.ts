// One address, one caller: what a dual-stack socket reports of an IPv4 client is written as the IPv4 address that it is, and an IPv6 host, which
// may use 2^64 addresses, is its /64 network.
import { BlockList, isIP, isIPv6 } from 'node:net';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';

/** Turns an IPv4-mapped IPv6 address into plain IPv4; other addresses stay as they are. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** The form of an address that limits and identities go by: IPv4 dotted, an IPv6 /64 network as `2001:db8:0:1::/64`. */
export function principalAddress(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const [head = '', tail = ''] = plain.split('%')[0]!.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === '' ? [] : tail.split(':');
  const groups = plain.includes('::') ? [...front, ...Array(Math.max(0, 8 - front.length - back.length)).fill('0'), ...back] : front;
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

export function isAddress(text: string): boolean {
  return isIP(text.split('%')[0]!) !== 0;
}

/** Networks such as `192.0.2.0/24`, and single addresses. */
export class Networks {
  private readonly list = new BlockList();
  /** Results of checks: the list makes an object for each, a tenth of the time of a small request. */
  private readonly checked = new Map<string, boolean>();

  /** `flag` names the option, for the error `access.bad_network`. */
  constructor(flag: string, networks: readonly string[]) {
    for (const network of networks) {
      const [, address = '', bits] = /^([^/]*)(?:\/(\d+))?$/.exec(network) ?? [];
      const family = isIP(address);
      const bitsMax = family === 6 ? 128 : 32;
      const length = Number(bits ?? bitsMax);
      if (family === 0 || length > bitsMax) throw new SquitterError('access.bad_network', { flag, network });
      this.list.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4');
    }
  }

  /** False for text that is no address. */
  has(address: string): boolean {
    const plain = plainAddress(address).split('%')[0]!;
    const family = isIP(plain);
    if (family === 0) return false;
    let isIn = this.checked.get(plain);
    if (isIn === undefined) {
      isIn = this.list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
      if (this.checked.size === limits.networkChecksMax) this.checked.clear();
      this.checked.set(plain, isIn);
    }
    return isIn;
  }
}

/** Networks whose addresses belong to no one host of the internet: private, loopback, link-local, unique-local, shared by carriers, unspecified. */
// biome-ignore format: IPv4, then IPv6
const PRIVATE = new Networks('', [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16',
  '::/127', 'fc00::/7', 'fe80::/10',
]);

/** Many hosts may have this address, each in a network of its own. True for text that is no address. */
export function isPrivateAddress(address: string): boolean {
  return !isAddress(plainAddress(address)) || PRIVATE.has(address);
}
