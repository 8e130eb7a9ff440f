// Reads the fields that flights need from the Avro bytes of an aircraft record, without intermediate objects: ten thousand come each second.
import { aircraftStateSchema } from '../../schemas/avro/aircraft-state.ts';
import { ABSENT, type ColumnName } from '../aircraft/columns.ts';
import { cellNames, KEY_CELL, POSITION_TIME, SEEN_TIME, StateReader, TICK_TIME } from '../aircraft/state-reader.ts';
import type { StateCodec } from '../aircraft/table.ts';
import { isText, textBefore } from '../aircraft/text.ts';
import { MICRODEG_PER_DEG } from '../geo/earth.ts';
import { avroType } from '../log/avro.ts';
import { StateSample } from './track.ts';

const cell = (name: ColumnName): number => cellNames.indexOf(name);
const LATITUDE = cell('latitudeMicrodeg');
const LONGITUDE = cell('longitudeMicrodeg');
const POSITION_VALID = cell('positionValid');
const ON_GROUND = cell('onGround');
const CATEGORY = cell('category');
const TRACK = cell('trackCentideg');
const SPEED = cell('groundSpeedDeciKt');
const ALTITUDE = cell('altitudeBaroFt');
const BARO_RATE = cell('baroRateFpm');
const GEOM_RATE = cell('geomRateFpm');

const stateType = avroType(aircraftStateSchema);

export class SampleReader {
  /** The result of the last read. */
  readonly sample = new StateSample();
  private readonly codec: StateCodec;
  private readonly reader = new StateReader('geomRateFpm');

  constructor(codec: StateCodec) {
    this.codec = codec;
  }

  /**
   * Reads a value of the topic, all bytes or some of them; false when it is not a state. `flightText` returns the aircraft's previous call sign: an
   * equal one reuses that string.
   */
  read(bytes: Uint8Array, flightText: (key: number) => string | null, start = 0, end = bytes.length): boolean {
    const body = this.codec.bodyStart(bytes, start, end);
    if (body < 0 || !this.reader.read(bytes, body, end)) return this.readOther(bytes.subarray(start, end), flightText);
    this.fill(bytes, flightText);
    return true;
  }

  /** Values of other versions of the schema. */
  private readOther(value: Uint8Array, flightText: (key: number) => string | null): boolean {
    try {
      const bytes = stateType.toBuffer({ ...this.codec.decode(value), acasRa: null });
      if (!this.reader.read(bytes, 0)) return false;
      this.fill(bytes, flightText);
      return true;
    } catch {
      return false;
    }
  }

  private fill(bytes: Uint8Array, flightText: (key: number) => string | null): void {
    const { sample, reader } = this;
    const { cells, times, flightEnd, flightLength } = reader;
    sample.key = cells[KEY_CELL]!;
    sample.tickMs = times[TICK_TIME]!;
    sample.seenMs = times[SEEN_TIME]!;
    sample.timeMs = times[POSITION_TIME]!;
    sample.isPositionValid = cells[POSITION_VALID] === 1;
    sample.latDeg = cells[LATITUDE]! / MICRODEG_PER_DEG;
    sample.lonDeg = cells[LONGITUDE]! / MICRODEG_PER_DEG;
    sample.onGround = cells[ON_GROUND]!;
    sample.category = cells[CATEGORY]!;
    sample.trackCentideg = cells[TRACK]!;
    sample.groundSpeedDeciKt = cells[SPEED]!;
    sample.altitudeFt = cells[ALTITUDE]!;
    sample.rateFpm = cells[BARO_RATE] === ABSENT ? cells[GEOM_RATE]! : cells[BARO_RATE]!;
    const known = flightText(sample.key);
    sample.flight = isText(known, bytes, flightEnd, flightLength) ? known : textBefore(bytes, flightEnd, flightLength);
  }
}
