// API keys: `sqt_`, 30 digits and 6 of their checksum, all in base 62. They are computed, not stored: the dashboard can always show them, any process
// verifies them without a look-up, and nothing can be stolen from a table.
import { timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { InstallationSecret } from '../../pipeline/runtime/installation-secret.ts';

// The 30 digits hold 178 bits: the feeder, the generation of its key, and a code that only the secret of the installation makes.
const GENERATION_BITS = 14n;
const MAC_BITS = 100n;
const PREFIX = 'sqt_';
const DIGITS = 30;
const CHECKSUM_DIGITS = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = BigInt(ALPHABET.length);
const FORM = /^sqt_[0-9A-Za-z]{36}$/;
const SHA256_BITS = 256n;

/** The first generation of a feeder's key, and the last one that fits. */
export const GENERATION_FIRST = 1;
export const LAST_GENERATION = 2 ** Number(GENERATION_BITS) - 1;

export interface KeyParts {
  /** Id of the feeder, 16 hex digits. */
  readonly feeder: string;
  readonly generation: number;
}

export function keyOf({ feeder, generation }: KeyParts, secret: InstallationSecret): string {
  const parts = (BigInt(`0x${feeder}`) << GENERATION_BITS) | BigInt(generation);
  const body = base62((parts << MAC_BITS) | macOf({ feeder, generation }, secret), DIGITS);
  return PREFIX + body + checksumOf(body);
}

/** The content of a key, if this installation made it; null for any other text. Whether it still holds is decided by the feeder's records. */
export function readKey(text: string, secret: InstallationSecret): KeyParts | null {
  if (!FORM.test(text)) return null;
  const body = text.slice(PREFIX.length, PREFIX.length + DIGITS);
  // A mistyped key costs no MAC.
  if (text.slice(PREFIX.length + DIGITS) !== checksumOf(body)) return null;
  let value = 0n;
  for (const digit of body) value = value * BASE + BigInt(ALPHABET.indexOf(digit));
  const parts = value >> MAC_BITS;
  const feeder = (parts >> GENERATION_BITS).toString(16).padStart(16, '0');
  const generation = Number(BigInt.asUintN(Number(GENERATION_BITS), parts));
  // 30 digits may hold a little more than 178 bits.
  if (feeder.length > 16) return null;
  const expected = Buffer.from(keyOf({ feeder, generation }, secret));
  return timingSafeEqual(expected, Buffer.from(text)) ? { feeder, generation } : null;
}

function macOf({ feeder, generation }: KeyParts, secret: InstallationSecret): bigint {
  return BigInt(`0x${secret.macOf('key', `${feeder}/${generation}`).toString('hex')}`) >> (SHA256_BITS - MAC_BITS);
}

function checksumOf(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_DIGITS);
}

function base62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= BASE) text = ALPHABET[Number(rest % BASE)]! + text;
  return text;
}
