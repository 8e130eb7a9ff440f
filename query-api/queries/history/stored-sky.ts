// The sky of a moment whose frames the log does not have any more: the newest stored position of each aircraft in the minute before it. One query, rows of
// fixed width, which become states where the past is shown.
import { keyHex } from '../../../pipeline/aircraft/hex-key.ts';
import type { HistoryClient } from '../../../pipeline/store/client.ts';
import { stateFields } from '../../../schemas/aircraft-fields.ts';
import type { AircraftState } from '../../../schemas/avro/aircraft-state.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { positionFields } from '../../../schemas/position-fields.ts';
import { QueryError } from '../errors.ts';
import { IN_BUCKETS, storedBytes } from './stored-rows.ts';

const UNKNOWN = -2_147_483_648;
const isState = new Set(stateFields.map(({ name }) => name));
/** Columns of a row, all of four bytes, in the order of the query; then squawk, the time in eight bytes and the call sign in eight. */
const COLUMNS = positionFields
  .filter(({ name, type }) => (type === 'int' || type === 'boolean') && name !== 'squawk' && isState.has(name))
  .map(({ name }) => name);
const KEY_BYTES = 4;
const SQUAWK_AT = KEY_BYTES + 4 * COLUMNS.length;
const SQUAWK_DIGITS = 4;
const TIME_AT = SQUAWK_AT + 4;
const CALLSIGN_AT = TIME_AT + 8;
const CALLSIGN_CHARACTERS = 8;
const ROW_BYTES = CALLSIGN_AT + CALLSIGN_CHARACTERS;

const values = [...COLUMNS, 'squawk'].map((name) => `ifNull(toInt32(${name}), toInt32(${UNKNOWN}))`).join(', ');
const CALLSIGN = `toFixedString(substring(ifNull(toString(callsign), ''), 1, ${CALLSIGN_CHARACTERS}), ${CALLSIGN_CHARACTERS})`;
const SQL = `SELECT toUInt32(icao24), argMax(tuple(${values}, toUnixTimestamp64Milli(time), ${CALLSIGN}), tuple(time, frameOffset, frameIndex))
FROM positions
WHERE ${IN_BUCKETS}
  AND time > fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND time <= fromUnixTimestamp64Milli({to:Int64}, 'UTC')
GROUP BY icao24
LIMIT {rows:UInt32}
FORMAT RowBinary`;

/** The level that readsb shows for an aircraft without a signal. */
const NO_SIGNAL_DECI_DBFS = -495;

/** Rows of the aircraft at a whole second, ms. Errors: `api.history_too_large`, those of the client. */
export async function storedSky(client: HistoryClient, signal: AbortSignal, atMs: number): Promise<Uint8Array<ArrayBuffer>> {
  const rowsMax = limits.pastAircraftMax;
  // A position is valid for as long as a live list shows it.
  const parameters = { from: atMs - limits.snapshotAgeMsMax, to: atMs, rows: rowsMax + 1 };
  const bytes = await storedBytes(client, SQL, parameters, { signal });
  if (bytes.length / ROW_BYTES > rowsMax)
    throw new QueryError('api.history_too_large', { detail: `the moment has more than ${rowsMax} aircraft` });
  return new Uint8Array(bytes);
}

const nothing = Object.fromEntries(stateFields.map(({ name }) => [name, null])) as unknown as AircraftState;

/** The rows as states at the moment. What positions do not have is unknown; members that are always present count the position as the one message. */
export function* storedStates(rows: Uint8Array<ArrayBuffer>, atMs: number): Generator<AircraftState> {
  const view = new DataView(rows.buffer, rows.byteOffset, rows.length);
  for (let at = 0; at + ROW_BYTES <= rows.length; at += ROW_BYTES) {
    const positionMs = Number(view.getBigInt64(at + TIME_AT, true));
    const state: Record<string, unknown> = {
      ...nothing,
      ...{ hex: keyHex(view.getUint32(at, true)), tickMs: atMs, positionMs, positionValid: true, seenMs: positionMs },
      ...{ messages: 1, mlatFields: 0, tisbFields: 0, flight: callSignOf(rows, at), squawk: squawkOf(view, at) },
    };
    COLUMNS.forEach((name, i) => {
      const value = view.getInt32(at + KEY_BYTES + 4 * i, true);
      state[name] = name === 'onGround' ? value === 1 : value === UNKNOWN ? null : value;
    });
    state['rssiDeciDbfs'] ??= NO_SIGNAL_DECI_DBFS;
    yield state as AircraftState;
  }
}

/** Padded with blanks, as states have it. */
function callSignOf(rows: Uint8Array, at: number): string | null {
  const [text] = Buffer.from(rows.subarray(at + CALLSIGN_AT, at + ROW_BYTES))
    .toString('latin1')
    .split('\0');
  return text === '' ? null : text!.padEnd(CALLSIGN_CHARACTERS);
}

/** Stored as a decimal number of its digits. */
function squawkOf(view: DataView, at: number): string | null {
  const digits = view.getInt32(at + SQUAWK_AT, true);
  return digits === UNKNOWN ? null : String(digits).padStart(SQUAWK_DIGITS, '0');
}
