// Aircraft states for the benchmarks of view and HTTP: any number, from a fold of simulated traffic.
import { type FoldTick, PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { TICK_MS } from '../../pipeline/fold/worker.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { batches, simulatedFrames } from './frames.ts';

const SIMULATED_AIRCRAFT = 4000;
const SIMULATED_S = 30;
const FIRST_ADDRESS = 0x40_0000;
/** Spreads addresses; odd, so that they stay unique. */
const ADDRESS_STEP = 0x2545;

/**
 * `count` listed aircraft with a position and their folded values. Beyond the simulated ones (about 2,900) they are variations
 * with other values in the same fields, so that a compressor finds no repetitions.
 */
export function locatedAircraft(count: number): AircraftState[] {
  const states = new Map<string, AircraftState>();
  const onTick = (tick: FoldTick): void => {
    for (const state of tick.aircraft.build()) states.set(state.hex, state);
  };
  const fold = new PartitionFold({ tickMs: TICK_MS, receiver: null });
  batches(simulatedFrames(SIMULATED_AIRCRAFT, SIMULATED_S)).forEach((batch, offset) => {
    fold.apply(batch, offset, onTick);
  });
  const located = [...states.values()].filter(({ positionValid, messages }) => positionValid && messages > 1);
  return Array.from({ length: count }, (_, i) => varied(located[i % located.length]!, i));
}

function varied(state: AircraftState, i: number): AircraftState {
  const hex = ((FIRST_ADDRESS + i * ADDRESS_STEP) & 0xff_ffff).toString(16).padStart(6, '0');
  let seed = i;
  /** A whole number from 0 to `span` − 1. */
  const random = (span: number): number => {
    seed = (Math.imul(seed, 0x0019_660d) + 0x3c6e_f35f) | 0;
    return Math.floor(((seed >>> 0) / 2 ** 32) * span);
  };
  const shifted = (value: number | null, span: number, step: number): number | null => value && value + step * (random(span) - (span >> 1));
  const turned = (centideg: number | null): number | null => centideg && (centideg + random(36_000)) % 36_000;
  const longitude = state.longitudeMicrodeg! + random(10_000_000);
  return {
    ...state,
    hex,
    messages: state.messages + random(10_000),
    rssiDeciDbfs: -20 - random(300),
    seenMs: state.seenMs - random(3000),
    positionMs: state.positionMs! - random(3000),
    latitudeMicrodeg: Math.round(state.latitudeMicrodeg! * 0.9) + random(9_000_000),
    longitudeMicrodeg: longitude > 180e6 ? longitude - 360e6 : longitude,
    flight: state.flight && state.flight.slice(0, 3) + String(100 + random(9900)).padEnd(5),
    squawk: state.squawk && random(4096).toString(8).padStart(4, '0'),
    altitudeBaroFt: shifted(state.altitudeBaroFt, 80, 25),
    altitudeGeomFt: shifted(state.altitudeGeomFt, 80, 25),
    groundSpeedDeciKt: state.groundSpeedDeciKt && state.groundSpeedDeciKt + random(300),
    trackCentideg: turned(state.trackCentideg),
    baroRateFpm: shifted(state.baroRateFpm, 8, 64),
    geomRateFpm: shifted(state.geomRateFpm, 8, 64),
    navHeadingCentideg: turned(state.navHeadingCentideg),
  };
}

/** The same state with a value in every field: missing ones are filled in. */
export function completed(state: AircraftState, i: number): AircraftState {
  const known = Object.fromEntries(Object.entries(state).filter(([, value]) => value !== null));
  return { ...state, ...fillers(i), ...known };
}

/** Different values within their usual range. */
function fillers(i: number): Partial<AircraftState> {
  return {
    onGround: false,
    flight: `BEN${i % 10_000}`.padEnd(8),
    category: 'A3',
    squawk: '2741',
    emergency: 0,
    altitudeBaroFt: 30_000 + 25 * (i % 400),
    altitudeGeomFt: 30_500 + 25 * (i % 400),
    groundSpeedDeciKt: 4000 + (i % 1000),
    iasKt: 250 + (i % 50),
    tasKt: 430 + (i % 50),
    machMilli: 740 + (i % 80),
    trackCentideg: (i * 77) % 36_000,
    calcTrackDeg: i % 360,
    trackRateCentidegPerS: (i % 200) - 100,
    rollCentideg: (i % 4000) - 2000,
    magHeadingCentideg: (i * 71) % 36_000,
    trueHeadingCentideg: (i * 73) % 36_000,
    baroRateFpm: 64 * ((i % 40) - 20),
    geomRateFpm: 64 * ((i % 42) - 21),
    navQnhDeciHpa: 10_132,
    navAltitudeMcpFt: 36_000,
    navAltitudeFmsFt: 36_000,
    navHeadingCentideg: (i * 79) % 36_000,
    navModes: i % 64,
    version: 2,
    nicBaro: 1,
    nacP: 9,
    nacV: 2,
    sil: 3,
    silType: 1,
    gva: 2,
    sda: 2,
    alert: 0,
    spi: 0,
    windDirectionDeg: i % 360,
    windSpeedKt: i % 90,
    oatC: -(i % 60),
    tatC: -(i % 30),
  };
}
