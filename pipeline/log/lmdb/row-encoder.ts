// Encodes rows of the index as JSON followed by a checksum.
import { crc32 } from 'node:zlib';
import { SquitterError } from '../../../schemas/errors.ts';
import { olderFormat } from './rows.ts';

// JSON, "#", CRC-32 of the JSON as 8 hex digits.
const CHECK_BYTES = 9;

interface RowEncoder {
  /** lmdb then passes no buffer that it reuses. */
  readonly needsStableBuffer: true;
  encode(row: unknown): Buffer;
  /** Errors: `log.damaged`, `log.older_format`. */
  decode(bytes: Buffer): unknown;
}

export function rowEncoder(path: string): RowEncoder {
  const damaged = (): SquitterError => new SquitterError('log.damaged', { path, detail: 'a row of the index is damaged' });
  return {
    needsStableBuffer: true,
    encode(row) {
      const json = Buffer.from(JSON.stringify(row));
      return Buffer.concat([json, checkOf(json)]);
    },
    decode(bytes) {
      const end = bytes.length - CHECK_BYTES;
      if (end > 0 && checkOf(bytes.subarray(0, end)).equals(bytes.subarray(end))) return JSON.parse(bytes.toString('utf8', 0, end));
      // Rows of format 1 are JSON alone.
      throw isJson(bytes) ? olderFormat(path, 1) : damaged();
    },
  };
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}

function checkOf(json: Buffer): Buffer {
  return Buffer.from(
    `#${crc32(json)
      .toString(16)
      .padStart(CHECK_BYTES - 1, '0')}`,
  );
}
