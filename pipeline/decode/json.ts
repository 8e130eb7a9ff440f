// A message as the fields of one `squitter decode` line: the names and units of `/v2`, plus the raw fields that only a decoder shows. Used
// by tools, one frame at a time; the fold does not use it.
import { emergencyNames, navModeNames, silTypeNames } from '../../schemas/avro/aircraft-state.ts';
import { advisoryText, complementText, holdsAdvisory } from './advisory.ts';
import { isAlert } from './airborne-position.ts';
import { SERVED_REGISTERS } from './bds-1-7.ts';
import { COARSE_CPR_SHIFT } from './coarse-position.ts';
import { EVIDENCE_MIN, inferRegister } from './comm-b.ts';
import {
  ABSENT,
  type Advisory,
  type CommB,
  type Identification,
  KIND_ADVISORY,
  KIND_AIRBORNE_POSITION,
  KIND_COARSE_POSITION,
  KIND_COMM_B,
  KIND_COMM_D,
  KIND_EMERGENCY,
  KIND_EXTENDED_OTHER,
  KIND_IDENTIFICATION,
  KIND_OPERATIONAL_STATUS,
  KIND_SURFACE_POSITION,
  KIND_SURVEILLANCE,
  KIND_TARGET_STATE,
  KIND_TEST,
  KIND_VELOCITY,
  type Message,
  type OperationalStatus,
  ORIGIN_TISB_COARSE,
  ORIGIN_TISB_MANAGEMENT,
  ORIGIN_UNKNOWN,
  type Position,
  REGISTER_1_0,
  REGISTER_1_7,
  REGISTER_2_0,
  REGISTER_3_0,
  REGISTER_4_0,
  REGISTER_4_4,
  REGISTER_4_5,
  REGISTER_5_0,
  REGISTER_6_0,
  REGISTER_EMPTY,
  REGISTER_NONE,
  type Surveillance,
  type TargetState,
  type Velocity,
} from './message.ts';

type Fields = Record<string, unknown>;

/** Members of a part in order: name, source, and units of the source per unit of the member, or how a present value is shown. */
type Rows<Part> = readonly (readonly [name: string, source: keyof Part, shown?: number | ((value: never, part: Part) => unknown)])[];

const squawkText = (squawk: number): string => String(squawk).padStart(4, '0');
const textOf = (codes: Uint8Array): string => String.fromCharCode(...codes);
const modesOf = (modes: number): string[] => navModeNames.filter((_, bit) => (modes >> bit) & 1);
/** Index 0 is `unknown`, which `/v2` omits. */
const silTypeOf = (type: number): string | undefined => (type > 0 ? silTypeNames[type] : undefined);

// biome-ignore format: a table
const surveillance: Rows<Surveillance> = [
  ['alt_baro', 'altitudeBaroFt'], ['squawk', 'squawk', squawkText], ['on_ground', 'onGround', (onGround: number) => onGround === 1],
  ['alert', 'alert'], ['spi', 'spi'],
];

const identification: Rows<Identification> = [
  ['flight', 'flight', textOf],
  ['category', 'category', (category: number) => category.toString(16).toUpperCase()],
];

// biome-ignore format: a table
const position: Rows<Position> = [
  ['alt_baro', 'altitudeBaroFt'], ['alt_geom', 'altitudeGeomFt'], ['gs', 'groundSpeedDeciKt', 10], ['track', 'trackCentideg', 100],
  ['cpr_lat', 'cprLat'], ['cpr_lon', 'cprLon'], ['cpr_odd', 'odd', (odd: unknown, { cprLat }) => (cprLat === ABSENT ? undefined : odd)],
  ['nic_b', 'nicB'], ['imf', 'imf'], ['alert', 'surveillanceStatus', (status: number) => (isAlert(status) ? 1 : 0)],
  ['spi', 'surveillanceStatus', (status: number) => (isAlert(status) ? undefined : Number(status === 3))],
];

// biome-ignore format: a table
const velocity: Rows<Velocity> = [
  ['gs', 'groundSpeedDeciKt', 10], ['track', 'trackCentideg', 100], ['mag_heading', 'headingCentideg', 100], ['ias', 'iasKt'], ['tas', 'tasKt'],
  ['baro_rate', 'baroRateFpm'], ['geom_rate', 'geomRateFpm'], ['geom_delta', 'geomDeltaFt'], ['nac_v', 'nacV'], ['nac_p', 'nacP'], ['sil', 'sil'],
];

// biome-ignore format: a table
const targetState: Rows<TargetState> = [
  ['nav_qnh', 'navQnhDeciHpa', 10], ['nav_altitude_mcp', 'navAltitudeMcpFt'], ['nav_altitude_fms', 'navAltitudeFmsFt'],
  ['nav_heading', 'navHeadingCentideg', 100], ['nav_modes', 'navModes', modesOf], ['nic_baro', 'nicBaro'], ['nac_p', 'nacP'], ['sil', 'sil'],
  ['sil_type', 'silType', silTypeOf], ['emergency', 'emergency', (code: number) => emergencyNames[code]],
];

// biome-ignore format: a table
const operationalStatus: Rows<OperationalStatus> = [
  ['version', 'version'], ['nic_a', 'nicA'], ['nic_c', 'nicC'], ['nic_baro', 'nicBaro'], ['nac_p', 'nacP'], ['nac_v', 'nacV'], ['sil', 'sil'],
  ['sil_type', 'silType', silTypeOf], ['gva', 'gva'], ['sda', 'sda'],
];

// biome-ignore format: a table
const threat: Rows<Advisory> = [
  ['threat_id_hex', 'threatAddress', (address: number) => address.toString(16).padStart(6, '0')], ['threat_altitude', 'threatAltitudeFt'],
  ['threat_range', 'threatRangeDeciNm', 10], ['threat_bearing', 'threatBearingDeg'],
];

// biome-ignore format: a table
const weather: Rows<CommB> = [
  ['oat', 'temperatureCentiC', 100], ['pressure', 'pressureHpa'], ['turbulence', 'turbulence'],
];

// biome-ignore format: a table
const registers: Readonly<Record<number, Rows<CommB>>> = {
  [REGISTER_1_0]: [['datalink_version', 'dataLinkVersion']],
  [REGISTER_1_7]: [['bds_served', 'served', (served: number) => SERVED_REGISTERS.filter((_, index) => (served >> (26 - index)) & 1)]],
  [REGISTER_2_0]: [['flight', 'flight', (flight: Uint8Array, { flightValid }) => (flightValid ? textOf(flight) : undefined)]],
  [REGISTER_4_0]: [
    ['nav_altitude_mcp', 'navAltitudeMcpFt'], ['nav_altitude_fms', 'navAltitudeFmsFt'], ['nav_qnh', 'navQnhDeciHpa', 10],
    ['nav_modes', 'navModes', modesOf],
  ],
  [REGISTER_4_4]: [['ws', 'windSpeedKt'], ['wd', 'windDirectionCentideg', 100], ['humidity', 'humidityDeciPercent', 10], ...weather],
  [REGISTER_4_5]: [
    ['wind_shear', 'windShear'], ['microburst', 'microburst'], ['icing', 'icing'], ['wake_vortex', 'wakeVortex'], ['radio_height', 'radioHeightFt'],
    ...weather,
  ],
  [REGISTER_5_0]: [
    ['roll', 'rollCentideg', 100], ['track', 'trackCentideg', 100], ['gs', 'groundSpeedDeciKt', 10], ['track_rate', 'trackRateCentidegPerS', 100],
    ['tas', 'tasKt'],
  ],
  [REGISTER_6_0]: [
    ['mag_heading', 'magHeadingCentideg', 100], ['ias', 'iasKt'], ['mach', 'machMilli', 1000], ['baro_rate', 'baroRateFpm'],
    ['geom_rate', 'geomRateFpm'],
  ],
};

/**
 * Fields that the message itself contains; absent values are omitted. `bytes[at]` is the frame it was decoded from. The caller adds row
 * number, time, `df`, `hex`, acceptance and everything that needs state (`lat`, `lon`, `nic`, `rc`).
 */
export function messageFields(message: Message, bytes: Uint8Array, at: number): Fields {
  const out: Fields = {};
  putHeader(message, bytes, at, out);
  switch (message.kind) {
    case KIND_SURVEILLANCE:
      put(message.surveillance, surveillance, out);
      break;
    case KIND_COMM_B:
      put(message.surveillance, surveillance, out);
      out['mb'] = hex(bytes, at + 4, 7);
      inferRegister(message);
      putCommB(message.commB, out);
      if (message.commB.register === REGISTER_3_0 && holdsAdvisory(bytes, at + 4)) out['acas_ra'] = advisoryFields(message.advisory);
      break;
    case KIND_IDENTIFICATION:
      put(message.identification, identification, out);
      break;
    case KIND_SURFACE_POSITION:
      out['alt_baro'] = 'ground';
      put(message.position, position, out);
      break;
    case KIND_AIRBORNE_POSITION:
      put(message.position, position, out);
      break;
    case KIND_VELOCITY:
      put(message.velocity, velocity, out);
      break;
    case KIND_EMERGENCY:
      out['emergency'] = emergencyNames[message.emergency.code];
      put(message.emergency, [['squawk', 'squawk', squawkText]], out);
      break;
    case KIND_ADVISORY:
      if (message.df === 16) put(message.surveillance, surveillance, out);
      out['acas_ra'] = advisoryFields(message.advisory);
      break;
    case KIND_TARGET_STATE:
      put(message.targetState, targetState, out);
      break;
    case KIND_OPERATIONAL_STATUS:
      put(message.operationalStatus, operationalStatus, out);
      break;
    case KIND_TEST:
      put(message.testMessage, [['squawk', 'squawk', squawkText]], out);
      break;
    case KIND_COARSE_POSITION:
      put(message.position, position, out);
      // The 12-bit fields, as sent.
      out['cpr_lat'] = message.position.cprLat >> COARSE_CPR_SHIFT;
      out['cpr_lon'] = message.position.cprLon >> COARSE_CPR_SHIFT;
      out['service_volume'] = message.coarse.serviceVolume;
      break;
    case KIND_COMM_D:
      out['ke'] = message.commD.acknowledgement;
      out['nd'] = message.commD.segment;
      out['md'] = hex(bytes, at + 1, 10);
      break;
    case KIND_EXTENDED_OTHER:
      out['me'] = hex(bytes, at + 4, 7);
      break;
  }
  return out;
}

/** An ACAS report: readsb's members, plus the threat's altitude, range and bearing. */
function advisoryFields(part: Advisory): Fields {
  const out: Fields = {
    bytes: hex(part.bytes, 0, part.bytes.length).toUpperCase(),
    ARA: binary(part.ara >> 7, 7),
    RAT: String(part.rat),
    MTE: String(part.mte),
    RAC: binary(part.rac, 4),
    advisory_complement: complementText(part),
    advisory: advisoryText(part),
    TTI: binary(Math.max(0, part.tti), 2),
  };
  put(part, threat, out);
  return out;
}

function putHeader(message: Message, bytes: Uint8Array, at: number, out: Fields): void {
  if (message.capability !== ABSENT) out['ca'] = message.capability;
  if (message.df === 11) out['iid'] = message.interrogatorId;
  if (message.df === 18) out['cf'] = bytes[at]! & 7;
  if (message.kind < KIND_IDENTIFICATION || (message.df !== 17 && message.df !== 18)) return;
  const { origin } = message;
  if (origin === ORIGIN_TISB_COARSE || origin === ORIGIN_TISB_MANAGEMENT || origin === ORIGIN_UNKNOWN) return;
  out['tc'] = message.typeCode;
  if (message.kind >= KIND_VELOCITY) out['subtype'] = message.subtype;
}

/** `bds` and the register's values; `bds_candidates` when two registers fit; nothing for an empty reply. */
function putCommB(part: CommB, out: Fields): void {
  const { register } = part;
  if (register === REGISTER_EMPTY) return;
  if (register === REGISTER_NONE) {
    const candidates = candidatesOf(part);
    if (candidates.length > 0) out['bds_candidates'] = candidates;
    return;
  }
  out['bds'] = registerName(register);
  put(part, registers[register] ?? [], out);
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

function put<Part>(part: Part, rows: Rows<Part>, out: Fields): void {
  for (const [name, source, shown = 1] of rows) {
    const value = part[source];
    if (value === ABSENT) continue;
    const member = typeof shown === 'number' ? Number(value) / shown : shown(value as never, part);
    if (member !== undefined) out[name] = member;
  }
}

function binary(value: number, width: number): string {
  return value.toString(2).padStart(width, '0');
}

function hex(bytes: Uint8Array, at: number, length: number): string {
  let text = '';
  for (let i = at; i < at + length; i += 1) text += bytes[i]!.toString(16).padStart(2, '0');
  return text;
}
