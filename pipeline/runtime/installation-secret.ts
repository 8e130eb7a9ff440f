// The secret of an installation. Ids of feeders, receivers and addresses are keyed hashes made with it: without the secret, trying does not
// find the UUID or the address of an id. A lost secret gives every feeder a new id.
import { createHash, createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SquitterError } from '../../schemas/errors.ts';
import { PRIVATE_FILE_MODE } from './private-files.ts';

const SECRET_BYTES = 32;
const HASH_DIGITS = 16;

export class InstallationSecret {
  /** Differs between secrets and does not reveal them; 16 hex digits. */
  readonly fingerprint: string;
  // A key object: neither JSON nor an inspection of it shows its bytes.
  readonly #key: KeyObject;

  constructor(bytes: Uint8Array) {
    this.#key = createSecretKey(bytes);
    this.fingerprint = this.hashOf('fingerprint', '');
  }

  /** The first 64 bits of HMAC-SHA256(secret, kind, NUL, text), as 16 lower-case hex digits. */
  hashOf(kind: string, text: string): string {
    return this.macOf(kind, text).toString('hex', 0, HASH_DIGITS / 2);
  }

  /** HMAC-SHA256(secret, kind, NUL, text), 32 bytes. */
  macOf(kind: string, text: string): Buffer {
    return createHmac('sha256', this.#key).update(`${kind}\0${text}`).digest();
  }
}

/** True for equal secrets. Takes the same time for every wrong one. */
export function isSameSecret(given: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(right));
}

/** A new secret as the text of its file. */
export function newSecretText(): string {
  return `${randomBytes(SECRET_BYTES).toString('hex')}\n`;
}

/** Path of the secret in a data folder. */
export const dataSecretPath = (dataDir: string): string => join(dataDir, 'secret');

/**
 * The secret of the embedded service: the file `secret` in the data folder, made if there is none. Errors: `secret.unreadable`,
 * `secret.not_private`, `secret.damaged`.
 */
export function openDataSecret(dataDir: string): InstallationSecret {
  const path = dataSecretPath(dataDir);
  const text = readSecret(path) ?? createSecret(dataDir, path);
  if ((statSync(path).mode & 0o077) !== 0) throw new SquitterError('secret.not_private', { path });
  return parseSecret(path, text);
}

/** The secret of a cluster. Its file is made by the operator, and may be mounted with any mode. Errors: `secret.unreadable`, `secret.damaged`. */
export function readSecretFile(path: string): InstallationSecret {
  const text = readSecret(path);
  if (text === null) throw new SquitterError('secret.unreadable', { path, detail: 'there is no such file' });
  return parseSecret(path, text);
}

function readSecret(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unreadable(path, error);
  }
}

/** Another process or thread may make it at the same time: the file that is linked first counts, and is whole from the start. */
function createSecret(dataDir: string, path: string): string {
  const own = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(own, newSecretText(), { mode: PRIVATE_FILE_MODE, flush: true });
    try {
      linkSync(own, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(own, { force: true });
    }
    return readFileSync(path, 'latin1');
  } catch (error) {
    throw unreadable(path, error);
  }
}

function parseSecret(path: string, text: string): InstallationSecret {
  const digits = text.trim();
  if (!/^[0-9a-f]{64}$/i.test(digits)) throw new SquitterError('secret.damaged', { path });
  return new InstallationSecret(Buffer.from(digits, 'hex'));
}

/** The message of a file system error names the path and never the content. */
function unreadable(path: string, error: unknown): SquitterError {
  return new SquitterError('secret.unreadable', { path, detail: (error as Error).message });
}
