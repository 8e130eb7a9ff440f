// Value of `adsb.positions.v1`: the positions that one partition's fold accepted in one tick, in order of acceptance.

export interface PositionRow {
  hex: string;
  /** Event time of the frame that gave the position. */
  timeUs: number;
  latitudeMicrodeg: number;
  longitudeMicrodeg: number;
  onGround: boolean;
  altitudeBaroFt: number | null;
  altitudeGeomFt: number | null;
  groundSpeedDeciKt: number | null;
  trackCentideg: number | null;
  baroRateFpm: number | null;
  /** Index into `sourceKinds` (aircraft-state.ts). */
  source: number;
  nic: number;
  rcM: number;
  /** The source frame: record offset in the frames topic, and index in the record. */
  frameOffset: number;
  frameIndex: number;
  /** As known at this position, without blanks around it. */
  callsign: string | null;
  /** Four octal digits, read as a decimal number. */
  squawk: number | null;
  /** Mean signal level of the last messages; null below four of them. */
  rssiDeciDbfs: number | null;
}

export interface PositionBatch {
  /** The tick that closed this batch, ms since the Unix epoch; a multiple of the tick length. */
  tickMs: number;
  rows: PositionRow[];
}

const nullableInt = ['null', 'int'] as const;

export const positionBatchSchema = {
  type: 'record',
  name: 'PositionBatch',
  namespace: 'squitter.v1',
  doc: 'Positions accepted by the fold of one partition in one tick. (frameOffset, frameIndex) never repeats and never goes back.',
  fields: [
    { name: 'tickMs', type: 'long' },
    {
      name: 'rows',
      type: {
        type: 'array',
        items: {
          type: 'record',
          name: 'PositionRow',
          fields: [
            { name: 'hex', type: 'string', doc: 'ICAO address, 6 lower-case hex digits, ~ before a non-ICAO address' },
            { name: 'timeUs', type: 'long', doc: 'event time, microseconds since the Unix epoch' },
            { name: 'latitudeMicrodeg', type: 'int' },
            { name: 'longitudeMicrodeg', type: 'int' },
            { name: 'onGround', type: 'boolean' },
            { name: 'altitudeBaroFt', type: nullableInt },
            { name: 'altitudeGeomFt', type: nullableInt },
            { name: 'groundSpeedDeciKt', type: nullableInt },
            { name: 'trackCentideg', type: nullableInt },
            { name: 'baroRateFpm', type: nullableInt },
            { name: 'source', type: 'int', doc: 'index into the list of source kinds' },
            { name: 'nic', type: 'int' },
            { name: 'rcM', type: 'int', doc: 'containment radius, m; 0 unknown' },
            { name: 'frameOffset', type: 'long' },
            { name: 'frameIndex', type: 'int' },
            {
              name: 'callsign',
              type: ['null', 'string'],
              default: null,
              doc: 'call sign as known at this position, without blanks around it',
            },
            {
              name: 'squawk',
              type: nullableInt,
              default: null,
              doc: 'transponder code as known at this position: four octal digits, read as a decimal number',
            },
            { name: 'rssiDeciDbfs', type: nullableInt, default: null, doc: 'mean signal level of the last messages, tenths of dBFS' },
          ],
        },
      },
    },
  ],
} as const;
