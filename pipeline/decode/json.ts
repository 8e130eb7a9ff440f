// A message as the fields of one `squitter decode` line: the names and units of `/v2`, plus the raw fields that only a decoder shows. Used
// by tools, one frame at a time; the fold does not use it.

import { emergencyNames, navModeNames, silTypeNames } from '../../schemas/avro/aircraft-state.ts';
import { isAlert } from './airborne-position.ts';
import { COARSE_CPR_SHIFT } from './coarse-position.ts';
import { inferRegister } from './comm-b.ts';
import { putCommB } from './comm-b-json.ts';
import {
  ABSENT,
  type Identification,
  KIND_AIRBORNE_POSITION,
  KIND_COARSE_POSITION,
  KIND_COMM_B,
  KIND_COMM_D,
  KIND_EMERGENCY,
  KIND_EXTENDED_OTHER,
  KIND_IDENTIFICATION,
  KIND_OPERATIONAL_STATUS,
  KIND_RESOLUTION,
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
  REGISTER_3_0,
  type Resolution,
  type Surveillance,
  type TargetState,
  type Velocity,
} from './message.ts';
import { advisoryText, complementText, holdsResolutionReport } from './resolution.ts';

type Fields = Record<string, unknown>;

/**
 * Fields that the message itself contains; absent values are omitted. `bytes[at]` is the frame it was decoded from. The caller adds row
 * number, time, `df`, `hex`, acceptance and everything that needs state (`lat`, `lon`, `nic`, `rc`).
 */
export function messageFields(message: Message, bytes: Uint8Array, at: number): Fields {
  const out: Fields = {};
  putHeader(message, bytes, at, out);
  switch (message.kind) {
    case KIND_SURVEILLANCE:
      putSurveillance(message.surveillance, out);
      break;
    case KIND_COMM_B:
      putSurveillance(message.surveillance, out);
      out['mb'] = hex(bytes, at + 4, 7);
      inferRegister(message);
      putCommB(message.commB, out);
      if (message.commB.register === REGISTER_3_0 && holdsResolutionReport(bytes, at + 4))
        out['acas_ra'] = resolutionFields(message.resolution);
      break;
    case KIND_IDENTIFICATION:
      putIdentification(message.identification, out);
      break;
    case KIND_SURFACE_POSITION:
      out['alt_baro'] = 'ground';
      putPosition(message.position, out);
      break;
    case KIND_AIRBORNE_POSITION:
      putPosition(message.position, out);
      break;
    case KIND_VELOCITY:
      putVelocity(message.velocity, out);
      break;
    case KIND_EMERGENCY:
      out['emergency'] = emergencyNames[message.emergency.code];
      putSquawk(message.emergency.squawk, out);
      break;
    case KIND_RESOLUTION:
      if (message.df === 16) putSurveillance(message.surveillance, out);
      out['acas_ra'] = resolutionFields(message.resolution);
      break;
    case KIND_TARGET_STATE:
      putTargetState(message.targetState, out);
      break;
    case KIND_OPERATIONAL_STATUS:
      putOperationalStatus(message.operationalStatus, out);
      break;
    case KIND_TEST:
      putSquawk(message.testMessage.squawk, out);
      break;
    case KIND_COARSE_POSITION:
      putCoarse(message, out);
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
export function resolutionFields(part: Resolution): Fields {
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
  if (part.threatAddress !== ABSENT) out['threat_id_hex'] = part.threatAddress.toString(16).padStart(6, '0');
  put(out, 'threat_altitude', part.threatAltitudeFt);
  put(out, 'threat_range', part.threatRangeDeciNm, 10);
  put(out, 'threat_bearing', part.threatBearingDeg);
  return out;
}

function putHeader(message: Message, bytes: Uint8Array, at: number, out: Fields): void {
  put(out, 'ca', message.capability);
  if (message.df === 11) out['iid'] = message.interrogatorId;
  if (message.df === 18) out['cf'] = bytes[at]! & 7;
  if (message.kind < KIND_IDENTIFICATION || (message.df !== 17 && message.df !== 18)) return;
  const { origin } = message;
  if (origin === ORIGIN_TISB_COARSE || origin === ORIGIN_TISB_MANAGEMENT || origin === ORIGIN_UNKNOWN) return;
  out['tc'] = message.typeCode;
  if (message.kind >= KIND_VELOCITY) out['subtype'] = message.subtype;
}

function putSurveillance(part: Surveillance, out: Fields): void {
  put(out, 'alt_baro', part.altitudeBaroFt);
  putSquawk(part.squawk, out);
  if (part.onGround !== ABSENT) out['on_ground'] = part.onGround === 1;
  put(out, 'alert', part.alert);
  put(out, 'spi', part.spi);
}

function putIdentification(part: Identification, out: Fields): void {
  out['flight'] = String.fromCharCode(...part.flight);
  out['category'] = part.category.toString(16).toUpperCase();
}

function putPosition(part: Position, out: Fields): void {
  put(out, 'alt_baro', part.altitudeBaroFt);
  put(out, 'alt_geom', part.altitudeGeomFt);
  put(out, 'gs', part.groundSpeedDeciKt, 10);
  put(out, 'track', part.trackCentideg, 100);
  put(out, 'cpr_lat', part.cprLat);
  put(out, 'cpr_lon', part.cprLon);
  if (part.cprLat !== ABSENT) out['cpr_odd'] = part.odd;
  put(out, 'nic_b', part.nicB);
  put(out, 'imf', part.imf);
  const status = part.surveillanceStatus;
  if (status === ABSENT) return;
  out['alert'] = isAlert(status) ? 1 : 0;
  if (!isAlert(status)) out['spi'] = status === 3 ? 1 : 0;
}

/** The 12-bit fields of a coarse position, as sent. */
function putCoarse(message: Message, out: Fields): void {
  putPosition(message.position, out);
  out['cpr_lat'] = message.position.cprLat >> COARSE_CPR_SHIFT;
  out['cpr_lon'] = message.position.cprLon >> COARSE_CPR_SHIFT;
  out['service_volume'] = message.coarse.serviceVolume;
}

function putVelocity(part: Velocity, out: Fields): void {
  put(out, 'gs', part.groundSpeedDeciKt, 10);
  put(out, 'track', part.trackCentideg, 100);
  put(out, 'mag_heading', part.headingCentideg, 100);
  put(out, 'ias', part.iasKt);
  put(out, 'tas', part.tasKt);
  put(out, 'baro_rate', part.baroRateFpm);
  put(out, 'geom_rate', part.geomRateFpm);
  put(out, 'geom_delta', part.geomDeltaFt);
  put(out, 'nac_v', part.nacV);
  put(out, 'nac_p', part.nacP);
  put(out, 'sil', part.sil);
}

function putTargetState(part: TargetState, out: Fields): void {
  put(out, 'nav_qnh', part.navQnhDeciHpa, 10);
  put(out, 'nav_altitude_mcp', part.navAltitudeMcpFt);
  put(out, 'nav_altitude_fms', part.navAltitudeFmsFt);
  put(out, 'nav_heading', part.navHeadingCentideg, 100);
  if (part.navModes !== ABSENT) out['nav_modes'] = navModeNames.filter((_, bit) => (part.navModes >> bit) & 1);
  put(out, 'nic_baro', part.nicBaro);
  put(out, 'nac_p', part.nacP);
  putSil(part.sil, part.silType, out);
  if (part.emergency !== ABSENT) out['emergency'] = emergencyNames[part.emergency];
}

function putOperationalStatus(part: OperationalStatus, out: Fields): void {
  out['version'] = part.version;
  put(out, 'nic_a', part.nicA);
  put(out, 'nic_c', part.nicC);
  put(out, 'nic_baro', part.nicBaro);
  put(out, 'nac_p', part.nacP);
  put(out, 'nac_v', part.nacV);
  putSil(part.sil, part.silType, out);
  put(out, 'gva', part.gva);
  put(out, 'sda', part.sda);
}

function putSil(sil: number, silType: number, out: Fields): void {
  put(out, 'sil', sil);
  // Index 0 is `unknown`, which `/v2` omits.
  if (silType > 0) out['sil_type'] = silTypeNames[silType];
}

function putSquawk(squawk: number, out: Fields): void {
  if (squawk !== ABSENT) out['squawk'] = String(squawk).padStart(4, '0');
}

function put(out: Fields, name: string, value: number, unitsPerOne = 1): void {
  if (value !== ABSENT) out[name] = value / unitsPerOne;
}

function binary(value: number, width: number): string {
  return value.toString(2).padStart(width, '0');
}

function hex(bytes: Uint8Array, at: number, length: number): string {
  let text = '';
  for (let i = at; i < at + length; i += 1) text += bytes[i]!.toString(16).padStart(2, '0');
  return text;
}
