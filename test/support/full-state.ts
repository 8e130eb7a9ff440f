// Aircraft states for tests and benchmarks: one with a value in every field, and one without values.
import { stateFields } from '../../schemas/aircraft-fields.ts';
import type { AcasAdvisory, AircraftState } from '../../schemas/avro/aircraft-state.ts';

/** 2023-11-14T22:13:20Z. */
export const NOW_MS = 1_700_000_000_000;

/** An aircraft in cruise with a value in every field; values depend on `i`. */
export function fullState(i: number, tickMs: number = NOW_MS): AircraftState {
  const spread = (factor: number, range: number): number => (i * factor) % range;
  const known = {
    hex: (0x40_0000 + i * 37).toString(16).padStart(6, '0'),
    tickMs,
    source: 0,
    seenMs: tickMs - spread(131, 20_000),
    messages: 1000 + spread(7919, 100_000),
    rssiDeciDbfs: -30 - spread(13, 350),
    positionMs: tickMs - spread(131, 20_000) - spread(17, 5000),
    positionValid: true,
    latitudeMicrodeg: spread(7_919_003, 140_000_000) - 60_000_000,
    longitudeMicrodeg: spread(104_729_011, 360_000_000) - 180_000_000,
    nic: 8,
    rcM: 186,
    gpsOkMs: tickMs - 60_000 - spread(131, 800_000),
    gpsOkLatitudeMicrodeg: spread(7_919_003, 140_000_000) - 60_000_000,
    gpsOkLongitudeMicrodeg: spread(104_729_011, 360_000_000) - 180_000_000,
    onGround: false,
    flight: `DLH${spread(3, 10_000)}`.padEnd(8),
    category: 'A3',
    squawk: (0o1000 + spread(11, 0o6000)).toString(8).padStart(4, '0'),
    emergency: 0,
    altitudeBaroFt: 20_000 + 25 * spread(3, 800),
    altitudeGeomFt: 20_500 + 25 * spread(3, 800),
    groundSpeedDeciKt: 3000 + spread(17, 2500),
    iasKt: 250 + spread(7, 80),
    tasKt: 400 + spread(7, 100),
    machMilli: 700 + spread(3, 150),
    trackCentideg: spread(7919, 36_000),
    calcTrackDeg: null,
    trackRateCentidegPerS: spread(7, 100) - 50,
    rollCentideg: spread(31, 3000) - 1500,
    magHeadingCentideg: spread(7919, 36_000),
    trueHeadingCentideg: spread(7927, 36_000),
    baroRateFpm: 64 * (spread(3, 40) - 20),
    geomRateFpm: 32 * (spread(3, 80) - 40),
    navQnhDeciHpa: 10_132,
    navAltitudeMcpFt: 32 * spread(3, 1200),
    navAltitudeFmsFt: 16 * spread(3, 2400),
    navHeadingCentideg: spread(7933, 36_000),
    navModes: spread(5, 64),
    version: 2,
    nicBaro: 1,
    nacP: 10,
    nacV: 2,
    sil: 3,
    silType: 2,
    gva: 2,
    sda: 2,
    alert: 0,
    spi: 0,
    windDirectionDeg: spread(7, 360),
    windSpeedKt: spread(3, 150),
    oatC: -10 - spread(3, 50),
    tatC: 5 - spread(3, 30),
    acasRa: null,
    mlatFields: 0,
    tisbFields: 0,
  };
  // Later fields have their number as value.
  const added = stateFields.filter(({ name }) => !(name in known)).map(({ name, number }) => [name, number]);
  return { ...known, ...(Object.fromEntries(added) as object) } as AircraftState;
}

/** An advisory to climb, for a threat with an address. */
export const CLIMB_ADVISORY: AcasAdvisory = {
  timeMs: NOW_MS - 1234,
  df: 17,
  bytes: 'E2C20106A9DFE4',
  advisory: 'Climb',
  complement: 'Do not pass above',
  threatHex: 'aa77f9',
  threatAltitudeFt: null,
  threatRangeDeciNm: null,
  threatBearingDeg: null,
};

/** An aircraft that was only heard, without values. */
export function bareState(hex: string, change: Partial<AircraftState> = {}): AircraftState {
  const names = Object.keys(fullState(0)) as (keyof AircraftState)[];
  const nothing = Object.fromEntries(names.map((name) => [name, null])) as unknown as AircraftState;
  const known = {
    tickMs: NOW_MS,
    source: 7,
    seenMs: NOW_MS,
    messages: 2,
    rssiDeciDbfs: -495,
    positionValid: false,
    mlatFields: 0,
    tisbFields: 0,
  };
  return { ...nothing, ...known, hex, ...change };
}
