// One address, one caller: what a dual-stack socket reports of an IPv4 client is written as the IPv4 address that it is.

/** Turns an IPv4-mapped IPv6 address into plain IPv4; other addresses stay as they are. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
