// Encodes rows of the index as JSON followed by a checksum. Version 0.1 wrote the JSON alone.
import { SquitterError } from '../../../schemas/errors.ts';
import { crc32 } from './crc32.ts';

// JSON, "#", CRC-32 of the JSON as 8 hex digits. JSON alone never ends like this.
const MARK = '#'.charCodeAt(0);
const CHECK_BYTES = 9;

export interface RowEncoder {
  /** Tells lmdb not to pass a buffer that it reuses. */
  readonly needsStableBuffer: true;
  encode(row: unknown): Buffer;
  /** Error: `log.damaged`. */
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
      const isChecked = end > 0 && bytes[end] === MARK;
      if (isChecked && !checkOf(bytes.subarray(0, end)).equals(bytes.subarray(end))) throw damaged();
      try {
        return JSON.parse(bytes.toString('utf8', 0, isChecked ? end : bytes.length));
      } catch {
        throw damaged();
      }
    },
  };
}

function checkOf(json: Buffer): Buffer {
  return Buffer.from(
    `#${crc32(json)
      .toString(16)
      .padStart(CHECK_BYTES - 1, '0')}`,
  );
}
