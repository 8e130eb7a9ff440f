// Helpers of the fold's tests: recorded frames, records of the frames topic built from them, and a state with readsb names.
import { readFileSync } from 'node:fs';
import {
  type AircraftState,
  emergencyNames,
  fieldNames,
  navModeNames,
  silTypeNames,
  sourceKinds,
} from '../../schemas/avro/aircraft-state.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { createReceivedFrame, PACKED_FRAME_BYTES, packFrame, viewOf } from '../../schemas/packed-frame.ts';

export interface RecordedFrame {
  readonly timeUs: number;
  readonly bytes: Uint8Array;
  readonly receiver?: string;
  readonly signal?: number;
  /** FLAG_* of packed frames. */
  readonly flags?: number;
}

/** A `t,hex` file. */
export function readCsvFrames(path: string): RecordedFrame[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .filter((line) => /^\d/.test(line))
    .map((line) => {
      const [time, hex] = line.split(',') as [string, string];
      return { timeUs: Math.round(Number(time) * 1e6), bytes: Uint8Array.from(Buffer.from(hex, 'hex')) };
    });
}

/** One record of the frames topic; the default `receiver` is always the same. */
export function frameBatch(frames: readonly RecordedFrame[]): FrameBatch {
  const baseTimeUs = Math.min(...frames.map((frame) => frame.timeUs));
  const receivers = [...new Set(frames.map((frame) => frame.receiver ?? 'here'))];
  const packed = new Uint8Array(frames.length * PACKED_FRAME_BYTES);
  const view = viewOf(packed);
  frames.forEach(({ timeUs, bytes, receiver, signal, flags }, i) => {
    packFrame(view, i * PACKED_FRAME_BYTES, baseTimeUs, {
      ...createReceivedFrame(bytes, 0, bytes.length as 7 | 14),
      timeUs,
      signal: signal ?? 128,
      flags: flags ?? 0,
      receiver: receivers.indexOf(receiver ?? 'here'),
    });
  });
  return { baseTimeUs, receivers, count: frames.length, frames: packed };
}

const scaled = (value: number | null, by: number) => (value === null ? undefined : value / by);
const plain = <Value>(value: Value | null) => value ?? undefined;
const named = (names: readonly string[], mask: number) => names.filter((_, bit) => Math.floor(mask / 2 ** bit) % 2 === 1);

/** The state as readsb prints it at `nowMs`; fields that it omits are undefined. */
export function readsbNames(state: AircraftState, nowMs: number): Record<string, unknown> {
  const position = state.positionValid
    ? {
        lat: scaled(state.latitudeMicrodeg, 1e6),
        lon: scaled(state.longitudeMicrodeg, 1e6),
        nic: plain(state.nic),
        rc: plain(state.rcM),
        seen_pos: (nowMs - state.positionMs!) / 1000,
      }
    : {};
  return {
    hex: state.hex,
    type: sourceKinds[state.source],
    flight: plain(state.flight),
    alt_baro: state.onGround === true ? 'ground' : plain(state.altitudeBaroFt),
    alt_geom: plain(state.altitudeGeomFt),
    gs: scaled(state.groundSpeedDeciKt, 10),
    ias: plain(state.iasKt),
    tas: plain(state.tasKt),
    mach: scaled(state.machMilli, 1000),
    wd: plain(state.windDirectionDeg),
    ws: plain(state.windSpeedKt),
    oat: plain(state.oatC),
    tat: plain(state.tatC),
    track: scaled(state.trackCentideg, 100),
    calc_track: plain(state.calcTrackDeg),
    track_rate: scaled(state.trackRateCentidegPerS, 100),
    roll: scaled(state.rollCentideg, 100),
    mag_heading: scaled(state.magHeadingCentideg, 100),
    true_heading: scaled(state.trueHeadingCentideg, 100),
    baro_rate: plain(state.baroRateFpm),
    geom_rate: plain(state.geomRateFpm),
    squawk: plain(state.squawk),
    emergency: state.emergency === null ? undefined : emergencyNames[state.emergency],
    category: plain(state.category),
    nav_qnh: scaled(state.navQnhDeciHpa, 10),
    nav_altitude_mcp: plain(state.navAltitudeMcpFt),
    nav_altitude_fms: plain(state.navAltitudeFmsFt),
    nav_heading: scaled(state.navHeadingCentideg, 100),
    nav_modes: state.navModes === null ? undefined : named(navModeNames, state.navModes),
    ...position,
    version: plain(state.version),
    nic_baro: plain(state.nicBaro),
    nac_p: plain(state.nacP),
    nac_v: plain(state.nacV),
    sil: plain(state.sil),
    sil_type: state.silType === null ? undefined : silTypeNames[state.silType],
    gva: plain(state.gva),
    sda: plain(state.sda),
    alert: plain(state.alert),
    spi: plain(state.spi),
    mlat: named(fieldNames, state.mlatFields),
    tisb: named(fieldNames, state.tisbFields),
    messages: state.messages,
    seen: (nowMs - state.seenMs) / 1000,
    rssi: state.rssiDeciDbfs / 10,
  };
}
