// Results of the operations as protobuf bytes, without message objects: fields are written from the snapshot's columns in the order of the field table.
import { ANNOTATION_BYTES_MAX } from '../../pipeline/view/facts.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { decimalSeconds, type FoundAircraft, type NearbyAircraft, type NetworkStats, sourceTimeS } from './operations.ts';
import { type RecordRow, recordFields } from './record-fields.ts';

// Wire types: protobuf.dev, "Encoding". A field is a tag, its number << 3 | wire type as a varint, and its value.
const VARINT = 0;
/** Eight bytes, little-endian. */
const I64 = 1;
/** A length as a varint, then that many bytes. */
const LENGTH = 2;

const ASCII_MAX = 0x7f;
const VARINT_MORE = 0x80;
const DOUBLE_BYTES = 8;
const INT32_BYTES_MAX = 10;
/** Longest record: its texts of reference data, and everything else. */
const RECORD_BYTES_MAX = ANNOTATION_BYTES_MAX + 256;
const FIRST_BYTES = 64 * 1024;

// Field numbers of the messages around the records; records.test.ts compares their bytes with the .proto file.
const LIST_AIRCRAFT = 1;
const LIST_TOTAL = 2;
const LIST_SOURCE_TIME = 3;
const STATS_TOTAL = 1;
const STATS_SOURCE_TIME = 2;
const STATS_SERVED_AT = 3;

const fields = recordFields.map((field) => ({
  tag: (field.number << 3) | (field.kind === 'string' ? LENGTH : field.kind === 'double' ? I64 : VARINT),
  text: field.kind === 'string' ? field.text : null,
  value: field.kind === 'string' ? null : field.value,
  isDouble: field.kind === 'double',
}));

/** Writes one message at a time into memory of its own; the result is a copy. */
export class RecordWriter {
  private bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  private view = new DataView(this.bytes.buffer);
  private at = 0;

  /** Message Aircraft. */
  aircraft({ snapshot, index }: FoundAircraft): Buffer {
    const row = this.begin(snapshot);
    row.index = index;
    this.putRecord(row);
    return this.take();
  }

  /** Message AircraftList. */
  list({ snapshot, selection: { count, indices, distancesNm }, total }: NearbyAircraft): Buffer {
    const row = this.begin(snapshot);
    for (let n = 0; n < count; n += 1) {
      row.index = indices[n]!;
      row.distanceNm = distancesNm![n]!;
      this.putListed(row);
    }
    this.putInteger(LIST_TOTAL, total);
    this.putDouble(LIST_SOURCE_TIME, sourceTimeS(snapshot));
    return this.take();
  }

  /** Message NetworkStatsResponse. */
  stats({ snapshot, servedAtMs }: NetworkStats): Buffer {
    this.begin(snapshot);
    this.putInteger(STATS_TOTAL, snapshot.totals.total);
    this.putDouble(STATS_SOURCE_TIME, sourceTimeS(snapshot));
    this.putDouble(STATS_SERVED_AT, decimalSeconds(servedAtMs));
    return this.take();
  }

  private begin({ listing, times }: Snapshot): RecordRow {
    this.at = 0;
    return { listing, index: 0, nowMs: times.nowMs, distanceNm: Number.NaN };
  }

  private take(): Buffer {
    const message = Buffer.allocUnsafe(this.at);
    this.bytes.copy(message, 0, 0, this.at);
    return message;
  }

  /** Ensures room for a record, or for the numbers after the last one. */
  private reserve(): void {
    if (this.at + RECORD_BYTES_MAX <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(2 * this.bytes.length);
    this.bytes.copy(grown, 0, 0, this.at);
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }

  /** A record as field 1 of a message. Its length is known afterwards: two bytes are left for it, one of which is mostly not needed. */
  private putListed(row: RecordRow): void {
    this.reserve();
    this.bytes[this.at] = (LIST_AIRCRAFT << 3) | LENGTH;
    const start = this.at + 3;
    this.at = start;
    this.putRecord(row);
    const length = this.at - start;
    if (length > ASCII_MAX) {
      this.bytes[start - 2] = (length & 0x7f) | VARINT_MORE;
      this.bytes[start - 1] = length >> 7;
      return;
    }
    this.bytes[start - 2] = length;
    this.bytes.copyWithin(start - 1, start, this.at);
    this.at -= 1;
  }

  private putRecord(row: RecordRow): void {
    for (let i = 0; i < fields.length; i += 1) {
      const { tag, text, value, isDouble } = fields[i]!;
      if (text !== null) {
        const shown = text(row);
        if (shown.length > 0) this.putText(tag, shown);
        continue;
      }
      const shown = value!(row);
      if (Number.isNaN(shown)) continue;
      this.putVarint(tag);
      if (isDouble) this.put64(shown);
      else this.putInt32(shown);
    }
  }

  private putInteger(number: number, value: number): void {
    this.reserve();
    this.putVarint((number << 3) | VARINT);
    this.putInt32(value);
  }

  private putDouble(number: number, value: number): void {
    this.reserve();
    this.putVarint((number << 3) | I64);
    this.put64(value);
  }

  private put64(value: number): void {
    this.view.setFloat64(this.at, value, true);
    this.at += DOUBLE_BYTES;
  }

  /** UTF-8; nearly all texts are short ASCII. */
  private putText(tag: number, text: string): void {
    this.putVarint(tag);
    const { bytes, at } = this;
    const { length } = text;
    if (length <= ASCII_MAX) {
      let all = 0;
      for (let i = 0; i < length; i += 1) {
        const code = text.charCodeAt(i);
        all |= code;
        bytes[at + 1 + i] = code;
      }
      if (all <= ASCII_MAX) {
        bytes[at] = length;
        this.at = at + 1 + length;
        return;
      }
    }
    this.putVarint(Buffer.byteLength(text));
    this.at += bytes.write(text, this.at);
  }

  private putVarint(value: number): void {
    let rest = value;
    for (; rest > ASCII_MAX; rest >>>= 7) this.bytes[this.at++] = (rest & 0x7f) | VARINT_MORE;
    this.bytes[this.at++] = rest;
  }

  /** A negative number is extended to 64 bits: ten bytes. */
  private putInt32(value: number): void {
    if (value >= 0) {
      this.putVarint(value);
      return;
    }
    for (let i = 0; i < INT32_BYTES_MAX - 1; i += 1) this.bytes[this.at++] = ((value >> Math.min(31, 7 * i)) & 0x7f) | VARINT_MORE;
    this.bytes[this.at++] = 1;
  }
}
