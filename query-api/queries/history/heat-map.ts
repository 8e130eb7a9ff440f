// A heat map file of readsb, from which web maps replay half an hour: the first position of each aircraft in each slice of 30 s, in entries of 16 bytes.
//
//   bytes   index: where a slice begins   head of a slice          name                          position
//   0-3     number of that entry          0x0e7f7c9d               address                       address, source in bits 27-31
//   4-7     0                             time, ms, upper 32 bits  1 << 30 plus the squawk       latitude, microdegrees
//   8-11    0                             lower 32 bits            call sign, 8 characters       longitude, microdegrees
//   12-13   0                             length of a slice, ms    …                             altitude in 25 ft; -123 on the ground, -124 unknown
//   14-15   0                             0                        …                             ground speed in 0.1 kt; -1 unknown
//
// Bit 24 of an address stands for `~`. Numbers are little-endian. An aircraft has a name when it appears, when it changes, and each minute, so that a
// replay may begin anywhere.
import type { HistoryClient } from '../../../pipeline/store/client.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { QueryError } from '../errors.ts';
import { BUCKET_MS } from './stored-rows.ts';

export const HALF_HOUR_MS = 1_800_000;
const MS_PER_S = 1000;
const SLICE_MS = 30_000;
const SLICES = HALF_HOUR_MS / SLICE_MS;
const SLICES_PER_NAME = 2;

export const ENTRY_BYTES = 16;
const ENTRY_WORDS = ENTRY_BYTES / 4;
const HEAD = 0x0e7f_7c9d;
const NAME_BIT = 1 << 30;
const ADDRESS_BITS = 0x1ff_ffff;
const UPPER = 2 ** 32;

/**
 * One query per bucket of the key: rows come in the order of the key, the first of an aircraft and slice alone. Entries, with name and slice behind
 * them, are computed for the rows that stay.
 */
const SQL = `WITH ifNull(altitudeBaroFt, altitudeGeomFt) AS altitudeFt
SELECT bitOr(icao24, bitShiftLeft(toUInt32(source), 27)), latitudeMicrodeg, longitudeMicrodeg,
toInt16(multiIf(onGround, -123, altitudeFt IS NULL, -124, greatest(-122, least(32767, round(assumeNotNull(altitudeFt) / 25))))),
toInt16(if(groundSpeedDeciKt IS NULL, -1, least(32767, assumeNotNull(groundSpeedDeciKt)))),
toFixedString(if(callsign IS NULL, '', rightPad(substring(assumeNotNull(toString(callsign)), 1, 8), 8)), 8),
toUInt16(ifNull(squawk, 0)),
slice
FROM (
  SELECT *, toUInt16(intDiv(toUnixTimestamp64Milli(time) - {start:Int64}, ${SLICE_MS})) AS slice
  FROM positions
  WHERE toStartOfTenMinutes(time) = fromUnixTimestamp({bucket:Int64})
  ORDER BY toStartOfTenMinutes(time), icao24, time
  LIMIT 1 BY icao24, slice
  LIMIT {rows:UInt32}
)
FORMAT RowBinary`;
const NAME_AT = 16;
const SQUAWK_AT = 24;
const SLICE_AT = 26;
const ROW_BYTES = 28;

/**
 * The file of the half hour that begins at `startMs`, in pieces of one slice; null without positions.
 * Error: `api.history_too_large` for more entries than `limits.heatMapEntriesMax`, and those of the client.
 */
export async function heatMapFile(client: HistoryClient, signal: AbortSignal, startMs: number): Promise<Iterable<Buffer> | null> {
  const file = new HeatMapWriter(startMs);
  for (let bucketMs = startMs; bucketMs < startMs + HALF_HOUR_MS; bucketMs += BUCKET_MS) {
    const parameters = { start: startMs, bucket: bucketMs / MS_PER_S, rows: limits.heatMapEntriesMax };
    const options = { signal, secondsMax: limits.heatMapMsMax / MS_PER_S, settings: { max_threads: 1 } };
    let partial: Buffer = Buffer.alloc(0);
    for await (const chunk of client.bytes(SQL, parameters, options)) {
      const rows: Buffer =
        partial.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([partial, chunk]);
      const whole = rows.length - (rows.length % ROW_BYTES);
      for (let at = 0; at < whole; at += ROW_BYTES) file.add(rows, at);
      partial = rows.subarray(whole);
    }
  }
  return file.isEmpty ? null : file.pieces();
}

/** Entries by slice, in the order of rows. */
class HeatMapWriter {
  private readonly startMs: number;
  private readonly slices = Array.from({ length: SLICES }, () => new Entries());
  /** By address: the slice of the last name, and its squawk and characters. */
  private readonly names = new Map<number, { slice: number; squawk: number; first: number; second: number }>();
  private count = 0;

  constructor(startMs: number) {
    this.startMs = startMs;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  add(rows: Buffer, at: number): void {
    const entries = this.slices[rows.readUInt16LE(at + SLICE_AT)];
    if (entries === undefined) return;
    const address = rows.readUInt32LE(at) & ADDRESS_BITS;
    this.name(entries, address, rows, at);
    entries.add(rows.readInt32LE(at), rows.readInt32LE(at + 4), rows.readInt32LE(at + 8), rows.readInt32LE(at + 12));
    this.count += 1;
    if (this.count > limits.heatMapEntriesMax)
      throw new QueryError('api.history_too_large', { detail: `the half hour has more than ${limits.heatMapEntriesMax} entries` });
  }

  private name(entries: Entries, address: number, rows: Buffer, at: number): void {
    const slice = rows.readUInt16LE(at + SLICE_AT);
    const squawk = rows.readUInt16LE(at + SQUAWK_AT);
    const first = rows.readInt32LE(at + NAME_AT);
    const second = rows.readInt32LE(at + NAME_AT + 4);
    const known = this.names.get(address);
    if (known === undefined) this.names.set(address, { slice, squawk, first, second });
    else {
      const isSame = known.squawk === squawk && known.first === first && known.second === second;
      if (isSame && slice < known.slice + SLICES_PER_NAME) return;
      Object.assign(known, { slice, squawk, first, second });
    }
    entries.add(address, NAME_BIT | squawk, first, second);
    this.count += 1;
  }

  /** The index, then slice by slice: half an hour of 15,000 aircraft has 22 MB, which are copied in as many turns as their reader takes. */
  *pieces(): Generator<Buffer> {
    yield this.index();
    for (let slice = 0; slice < SLICES; slice += 1) {
      const { words } = this.slices[slice]!;
      const timeMs = this.startMs + slice * SLICE_MS;
      const piece = new Int32Array(ENTRY_WORDS + words.length);
      piece.set([HEAD, Math.floor(timeMs / UPPER), timeMs | 0, SLICE_MS]);
      piece.set(words, ENTRY_WORDS);
      this.slices[slice] = new Entries();
      yield Buffer.from(piece.buffer);
    }
  }

  private index(): Buffer {
    const words = new Int32Array(SLICES * ENTRY_WORDS);
    let entry = SLICES;
    this.slices.forEach((entries, slice) => {
      words[slice * ENTRY_WORDS] = entry;
      entry += 1 + entries.words.length / ENTRY_WORDS;
    });
    return Buffer.from(words.buffer);
  }
}

/** Growing list of entries as words. */
class Entries {
  private all = new Int32Array(ENTRY_WORDS * 64);
  private length = 0;

  get words(): Int32Array {
    return this.all.subarray(0, this.length);
  }

  add(one: number, two: number, three: number, four: number): void {
    if (this.length === this.all.length) {
      const larger = new Int32Array(2 * this.all.length);
      larger.set(this.all);
      this.all = larger;
    }
    this.all[this.length] = one;
    this.all[this.length + 1] = two;
    this.all[this.length + 2] = three;
    this.all[this.length + 3] = four;
    this.length += ENTRY_WORDS;
  }
}
