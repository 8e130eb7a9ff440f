// Fields of the state (schemas/aircraft-fields.ts), each with its field of the fold's record.
import { type FieldGroup, fieldNames, type StateRow, stateFields } from '../../schemas/aircraft-fields.ts';
import {
  F_AIR_GROUND,
  F_ALERT,
  F_ALTITUDE_BARO,
  F_ALTITUDE_GEOM,
  F_BARO_RATE,
  F_CALLSIGN,
  F_EMERGENCY,
  F_GEOM_RATE,
  F_GROUND_SPEED,
  F_GVA,
  F_IAS,
  F_MACH,
  F_MAG_HEADING,
  F_NAC_P,
  F_NAC_V,
  F_NAV_FMS,
  F_NAV_HEADING,
  F_NAV_MCP,
  F_NAV_MODES,
  F_NAV_QNH,
  F_NIC_BARO,
  F_RELIABLE,
  F_ROLL,
  F_SDA,
  F_SIL,
  F_SPI,
  F_SQUAWK,
  F_TAS,
  F_TRACK,
  F_TRACK_RATE,
  F_TRUE_HEADING,
} from './layout.ts';

/** The record's field for a group of the field table. */
export const fieldByGroup: Readonly<Record<FieldGroup, number>> = {
  airGround: F_AIR_GROUND,
  callSign: F_CALLSIGN,
  altitudeBaro: F_ALTITUDE_BARO,
  altitudeGeom: F_ALTITUDE_GEOM,
  groundSpeed: F_GROUND_SPEED,
  ias: F_IAS,
  tas: F_TAS,
  mach: F_MACH,
  track: F_TRACK,
  trackRate: F_TRACK_RATE,
  roll: F_ROLL,
  magHeading: F_MAG_HEADING,
  trueHeading: F_TRUE_HEADING,
  baroRate: F_BARO_RATE,
  geomRate: F_GEOM_RATE,
  squawk: F_SQUAWK,
  emergency: F_EMERGENCY,
  navQnh: F_NAV_QNH,
  navAltitudeMcp: F_NAV_MCP,
  navAltitudeFms: F_NAV_FMS,
  navHeading: F_NAV_HEADING,
  navModes: F_NAV_MODES,
  position: F_RELIABLE,
  nicBaro: F_NIC_BARO,
  nacP: F_NAC_P,
  nacV: F_NAC_V,
  sil: F_SIL,
  gva: F_GVA,
  sda: F_SDA,
  alert: F_ALERT,
  spi: F_SPI,
};

/** The record's field whose valid value is a field of the state. Error: there is none. */
export function plainField({ name, type, always, group }: StateRow): number {
  const field = fieldByGroup[group as FieldGroup] as number | undefined;
  if (field === undefined || type !== 'int' || always === true) throw new Error(`no writer for the field ${name}`);
  return field;
}

/** The record's field for each name of the `mlat` and `tisb` lists, in their order. */
export const listedFields = Uint8Array.from(fieldNames, (name) => {
  const { group } = stateFields.find(({ listed }) => listed === name)!;
  return fieldByGroup[group as FieldGroup];
});
