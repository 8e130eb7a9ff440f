// Maps failed disk calls to errors of the catalogue. A full disk, missing descriptors, a failing disk and a read-only mount are not damage:
// the log is intact.
import { constants } from 'node:os';
import { type ErrorCode, SquitterError } from '../../../schemas/errors.ts';
import { diskSpace } from '../../runtime/disk-space.ts';

const { ENOSPC, EDQUOT, EMFILE, ENFILE, EIO, EROFS } = constants.errno;
const codeOfErrno = new Map<number, ErrorCode>([
  [ENOSPC, 'log.no_space'],
  [EDQUOT, 'log.no_space'],
  [EMFILE, 'log.no_descriptors'],
  [ENFILE, 'log.no_descriptors'],
  [EIO, 'log.io_failed'],
  [EROFS, 'log.read_only'],
]);

/** A disk with less free space than this is full. */
const NO_ROOM_BYTES = 1024 * 1024;

/** LMDB error codes for a damaged file: page not found, corrupted, version mismatch, invalid, bad transaction. */
const LMDB_DAMAGE: readonly unknown[] = [-30797, -30796, -30794, -30793, -30782];

/**
 * Returns the catalogue error for a failure, by the system's error number: Node has it as a negative `errno`, LMDB as `code`.
 * Without a number the result is `otherwise`. With a number that is not listed above the log is not damaged, but cannot be read or written.
 */
export function logFailure(
  path: string,
  error: unknown,
  otherwise: 'log.damaged' | 'log.not_readable' | 'log.not_writable',
): SquitterError {
  if (error instanceof SquitterError) return error;
  const { code, errno: negative } = error as { readonly code?: unknown; readonly errno?: unknown };
  const detail = error instanceof Error ? error.message : String(error);
  if (LMDB_DAMAGE.includes(code)) return new SquitterError('log.damaged', { path, detail }, error);
  const errno = typeof negative === 'number' ? -negative : code;
  if (typeof errno !== 'number' || errno < 0) return new SquitterError(otherwise, { path, detail }, error);
  // LMDB reports an input/output error for a short write, which also happens when the disk becomes full.
  if (errno === EIO && diskSpace(path).freeBytes < NO_ROOM_BYTES) return new SquitterError('log.no_space', { path, detail }, error);
  const known = codeOfErrno.get(errno) ?? (otherwise === 'log.damaged' ? 'log.not_readable' : otherwise);
  return new SquitterError(known, { path, detail }, error);
}

/** lmdb reports the cause of a failed commit in a second promise. */
export async function causeOfCommit(error: unknown): Promise<unknown> {
  const cause = await (error as { commitError?: Promise<unknown> }).commitError?.catch((reason: unknown) => reason);
  return cause ?? error;
}
