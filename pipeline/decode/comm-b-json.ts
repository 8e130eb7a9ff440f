// The register of a Comm-B reply, as fields of a `squitter decode` line.

import { navModeNames } from '../../schemas/avro/aircraft-state.ts';
import { SERVED_REGISTERS } from './bds-1-7.ts';
import { EVIDENCE_MIN } from './comm-b.ts';
import {
  ABSENT,
  type CommB,
  REGISTER_1_0,
  REGISTER_1_7,
  REGISTER_2_0,
  REGISTER_4_0,
  REGISTER_4_4,
  REGISTER_4_5,
  REGISTER_5_0,
  REGISTER_6_0,
  REGISTER_EMPTY,
  REGISTER_NONE,
} from './message.ts';

type Fields = Record<string, unknown>;

/** `bds` and the register's values; `bds_candidates` when two registers fit; nothing for an empty reply. */
export function putCommB(part: CommB, out: Fields): void {
  const { register } = part;
  if (register === REGISTER_EMPTY) return;
  if (register === REGISTER_NONE) {
    const candidates = candidatesOf(part);
    if (candidates.length > 0) out['bds_candidates'] = candidates;
    return;
  }
  out['bds'] = registerName(register);
  if (register === REGISTER_1_0) out['datalink_version'] = part.dataLinkVersion;
  else if (register === REGISTER_1_7) out['bds_served'] = SERVED_REGISTERS.filter((_, index) => (part.served >> (26 - index)) & 1);
  else if (register === REGISTER_2_0 && part.flightValid) out['flight'] = String.fromCharCode(...part.flight);
  else if (register === REGISTER_4_0) putIntention(part, out);
  else if (register === REGISTER_4_4 || register === REGISTER_4_5) putWeather(part, out);
  else if (register === REGISTER_5_0) putTrackAndTurn(part, out);
  else if (register === REGISTER_6_0) putHeadingAndSpeed(part, out);
}

function candidatesOf(part: CommB): string[] {
  const candidates: string[] = [];
  if (part.best !== REGISTER_NONE && part.bestScore >= EVIDENCE_MIN) candidates.push(registerName(part.best));
  if (part.second !== REGISTER_NONE && part.secondScore >= EVIDENCE_MIN) candidates.push(registerName(part.second));
  return candidates;
}

function registerName(register: number): string {
  return `${register >> 4},${register & 0xf}`;
}

function putIntention(part: CommB, out: Fields): void {
  put(out, 'nav_altitude_mcp', part.navAltitudeMcpFt);
  put(out, 'nav_altitude_fms', part.navAltitudeFmsFt);
  put(out, 'nav_qnh', part.navQnhDeciHpa, 10);
  if (part.navModes !== ABSENT) out['nav_modes'] = navModeNames.filter((_, bit) => (part.navModes >> bit) & 1);
}

function putWeather(part: CommB, out: Fields): void {
  if (part.register === REGISTER_4_4) {
    put(out, 'ws', part.windSpeedKt);
    put(out, 'wd', part.windDirectionCentideg, 100);
    put(out, 'humidity', part.humidityDeciPercent, 10);
  } else {
    put(out, 'wind_shear', part.windShear);
    put(out, 'microburst', part.microburst);
    put(out, 'icing', part.icing);
    put(out, 'wake_vortex', part.wakeVortex);
    put(out, 'radio_height', part.radioHeightFt);
  }
  put(out, 'oat', part.temperatureCentiC, 100);
  put(out, 'pressure', part.pressureHpa);
  put(out, 'turbulence', part.turbulence);
}

function putTrackAndTurn(part: CommB, out: Fields): void {
  put(out, 'roll', part.rollCentideg, 100);
  put(out, 'track', part.trackCentideg, 100);
  put(out, 'gs', part.groundSpeedDeciKt, 10);
  put(out, 'track_rate', part.trackRateCentidegPerS, 100);
  put(out, 'tas', part.tasKt);
}

function putHeadingAndSpeed(part: CommB, out: Fields): void {
  put(out, 'mag_heading', part.magHeadingCentideg, 100);
  put(out, 'ias', part.iasKt);
  put(out, 'mach', part.machMilli, 1000);
  put(out, 'baro_rate', part.baroRateFpm);
  put(out, 'geom_rate', part.geomRateFpm);
}

function put(out: Fields, name: string, value: number, unitsPerOne = 1): void {
  if (value !== ABSENT) out[name] = value / unitsPerOne;
}
