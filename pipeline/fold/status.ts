// Accuracy and intentions that the aircraft reports: operational status, target state, and what is inferred for version 0.
import {
  ABSENT,
  KIND_AIRBORNE_POSITION,
  KIND_SURFACE_POSITION,
  type Message,
  type OperationalStatus,
  type TargetState,
  type Velocity,
} from '../decode/message.ts';
import { drop, put, SOURCE_TISB } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { foldReferences } from './heading.ts';
import {
  B_SIL_TYPE,
  F_EMERGENCY,
  F_GVA,
  F_NAC_P,
  F_NAC_V,
  F_NAV_FMS,
  F_NAV_HEADING,
  F_NAV_MCP,
  F_NAV_MODES,
  F_NAV_QNH,
  F_NIC_A,
  F_NIC_BARO,
  F_NIC_C,
  F_SDA,
  F_SIL,
  NOTHING,
} from './layout.ts';
import { versionByte } from './source.ts';

const SIL_UNKNOWN = 0;
/** NACp that a version 0 position implies, by type code; ED-102A table N-7. */
const NAC_P_BY_TYPE_CODE = Int8Array.of(0, -1, -1, -1, -1, 11, 10, 8, 0, 11, 10, 8, 7, 6, 5, 4, 1, 1, 0, -1, 11, 10, 0);
/** SIL by type code; ED-102A table N-8. */
const SIL_BY_TYPE_CODE = Int8Array.of(0, -1, -1, -1, -1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, -1, 2, 2, 0);

/** The version and the references of headings. Comes first, because the rest of the message is read by them. */
export function foldVersionOf(aircraft: Aircraft, message: Message): void {
  const byte = versionByte(aircraft.source);
  const { version } = message.operationalStatus;
  if (byte >= 0) {
    aircraft.bytes[aircraft.byte + byte] = version;
    aircraft.version = version;
  }
  foldReferences(aircraft, message);
}

/** TC 31. */
export function foldOperationalStatus(aircraft: Aircraft, status: OperationalStatus): void {
  put(aircraft, F_SDA, status.sda);
  put(aircraft, F_NIC_A, status.nicA);
  put(aircraft, F_NIC_C, status.nicC);
  put(aircraft, F_NIC_BARO, status.nicBaro);
  put(aircraft, F_NAC_P, status.nacP);
  put(aircraft, F_NAC_V, status.nacV);
  foldSil(aircraft, status.sil, status.silType);
  put(aircraft, F_GVA, status.gva);
}

/** TC 29. */
export function foldTargetState(aircraft: Aircraft, target: TargetState): void {
  put(aircraft, F_EMERGENCY, target.emergency);
  put(aircraft, F_NAV_MCP, target.navAltitudeMcpFt);
  put(aircraft, F_NAV_FMS, target.navAltitudeFmsFt);
  put(aircraft, F_NAV_HEADING, target.navHeadingCentideg);
  put(aircraft, F_NAV_MODES, target.navModes);
  put(aircraft, F_NAV_QNH, target.navQnhDeciHpa);
  put(aircraft, F_NIC_BARO, target.nicBaro);
  put(aircraft, F_NAC_P, target.nacP);
  // The SIL type is ignored until the version is known: later values may have another meaning.
  foldSil(aircraft, target.sil, aircraft.version > 0 ? target.silType : SIL_UNKNOWN);
}

/** TIS-B reports NACp, and mostly SIL, with the velocity. */
export function foldReportedAccuracy(aircraft: Aircraft, velocity: Velocity): void {
  put(aircraft, F_NAC_P, velocity.nacP);
  foldSil(aircraft, velocity.sil, SIL_UNKNOWN);
}

/** Version 0 positions imply NACp and SIL by their type code. TIS-B reports them: `foldReportedAccuracy`. */
export function foldImpliedAccuracy(aircraft: Aircraft, message: Message): void {
  if (aircraft.version > 0 || aircraft.source === SOURCE_TISB) return;
  if (message.kind !== KIND_AIRBORNE_POSITION && message.kind !== KIND_SURFACE_POSITION) return;
  const sil = SIL_BY_TYPE_CODE[message.typeCode] ?? -1;
  put(aircraft, F_NAC_P, impliedNacP(aircraft, message));
  if (sil >= 0) foldSil(aircraft, sil, SIL_UNKNOWN);
}

/** NACp that the type code of a version 0 position implies; ABSENT for other messages. */
export function impliedNacP(aircraft: Aircraft, message: Message): number {
  if (aircraft.version > 0) return ABSENT;
  const nacP = NAC_P_BY_TYPE_CODE[message.typeCode] ?? -1;
  return nacP < 0 ? ABSENT : nacP;
}

/** A position of a lower source took over: the accuracy that the aircraft reported does not apply to it. */
export function dropAccuracy(aircraft: Aircraft): void {
  drop(aircraft, F_NAC_P);
  drop(aircraft, F_NAC_V);
  drop(aircraft, F_SIL);
  drop(aircraft, F_GVA);
  drop(aircraft, F_SDA);
  aircraft.bytes[aircraft.byte + B_SIL_TYPE] = NOTHING;
}

/** A reported type stays: equipment does not change in flight. */
function foldSil(aircraft: Aircraft, sil: number, silType: number): void {
  if (!put(aircraft, F_SIL, sil)) return;
  const at = aircraft.byte + B_SIL_TYPE;
  if (silType !== ABSENT && silType !== SIL_UNKNOWN) aircraft.bytes[at] = silType;
  else if (aircraft.bytes[at] === NOTHING) aircraft.bytes[at] = SIL_UNKNOWN;
}
