// What the aircraft tells of its own accuracy and intentions: operational status, target state, and what version 0 leaves to be inferred.
import {
  ABSENT,
  KIND_AIRBORNE_POSITION,
  KIND_SURFACE_POSITION,
  type Message,
  type OperationalStatus,
  type TargetState,
} from '../decode/message.ts';
import { drop, put, type Reception } from './accept.ts';
import {
  type AircraftTable,
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
  STRIDE_BYTES,
} from './layout.ts';
import { versionByte } from './source.ts';
import { foldReferences } from './velocity.ts';

const SIL_UNKNOWN = 0;
/** NACp that a version 0 position implies, by type code; ED-102A table N-7. */
const NAC_P_BY_TYPE_CODE = Int8Array.of(0, -1, -1, -1, -1, 11, 10, 8, 0, 11, 10, 8, 7, 6, 5, 4, 1, 1, 0, -1, 11, 10, 0);
/** SIL likewise; ED-102A table N-8. */
const SIL_BY_TYPE_CODE = Int8Array.of(0, -1, -1, -1, -1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, -1, 2, 2, 0);

/** The version and what headings refer to: first of all, since the rest of the message is read by them. */
export function foldVersionOf(table: AircraftTable, slot: number, reception: Reception, message: Message): void {
  const byte = versionByte(reception.source);
  const { version } = message.operationalStatus;
  if (byte >= 0) {
    table.bytes[slot * STRIDE_BYTES + byte] = version;
    reception.version = version;
  }
  foldReferences(table, slot, message);
}

/** TC 31. */
export function foldOperationalStatus(table: AircraftTable, slot: number, reception: Reception, status: OperationalStatus): void {
  put(table, slot, F_SDA, reception, status.sda);
  put(table, slot, F_NIC_A, reception, status.nicA);
  put(table, slot, F_NIC_C, reception, status.nicC);
  put(table, slot, F_NIC_BARO, reception, status.nicBaro);
  put(table, slot, F_NAC_P, reception, status.nacP);
  put(table, slot, F_NAC_V, reception, status.nacV);
  foldSil(table, slot, reception, status.sil, status.silType);
  put(table, slot, F_GVA, reception, status.gva);
}

/** TC 29. */
export function foldTargetState(table: AircraftTable, slot: number, reception: Reception, target: TargetState): void {
  put(table, slot, F_EMERGENCY, reception, target.emergency);
  put(table, slot, F_NAV_MCP, reception, target.navAltitudeMcpFt);
  put(table, slot, F_NAV_FMS, reception, target.navAltitudeFmsFt);
  put(table, slot, F_NAV_HEADING, reception, target.navHeadingCentideg);
  put(table, slot, F_NAV_MODES, reception, target.navModes);
  put(table, slot, F_NAV_QNH, reception, target.navQnhDeciHpa);
  put(table, slot, F_NIC_BARO, reception, target.nicBaro);
  put(table, slot, F_NAC_P, reception, target.nacP);
  foldSil(table, slot, reception, target.sil, target.silType);
}

/** Version 0 positions tell NACp and SIL only by their type code. */
export function foldImpliedAccuracy(table: AircraftTable, slot: number, reception: Reception, message: Message): void {
  if (reception.version > 0) return;
  if (message.kind !== KIND_AIRBORNE_POSITION && message.kind !== KIND_SURFACE_POSITION) return;
  const nacP = NAC_P_BY_TYPE_CODE[message.typeCode] ?? -1;
  const sil = SIL_BY_TYPE_CODE[message.typeCode] ?? -1;
  if (nacP >= 0) put(table, slot, F_NAC_P, reception, nacP);
  if (sil >= 0) foldSil(table, slot, reception, sil, SIL_UNKNOWN);
}

/** A position of a lesser source took over: what the aircraft said of its own accuracy does not hold for it. */
export function dropAccuracy(table: AircraftTable, slot: number): void {
  drop(table, slot, F_NAC_P);
  drop(table, slot, F_NAC_V);
  drop(table, slot, F_SIL);
  drop(table, slot, F_GVA);
  drop(table, slot, F_SDA);
  table.bytes[slot * STRIDE_BYTES + B_SIL_TYPE] = NOTHING;
}

/** The type belongs to the value: an implied SIL is of unknown type, whatever was told before. */
function foldSil(table: AircraftTable, slot: number, reception: Reception, sil: number, silType: number): void {
  if (!put(table, slot, F_SIL, reception, sil)) return;
  table.bytes[slot * STRIDE_BYTES + B_SIL_TYPE] = silType === ABSENT ? SIL_UNKNOWN : silType;
}
