// The columns of the live table: their names and what stands in them.
import { ABSENT } from '../../schemas/absent.ts';

/** No value, as in a decoded message. */
export { ABSENT };

/** Key of a row that holds no aircraft. */
export const FREE = -1;

/** Columns of 32-bit integers, named like the field of AircraftState they hold. */
export const columnNames = [
  /** `hexKey` of the aircraft, FREE when the row has none. */
  'key',
  /** Partition whose fold owns the aircraft. */
  'partition',
  'source',
  'messages',
  'rssiDeciDbfs',
  /** 1 while the position is younger than 60 s. */
  'positionValid',
  'latitudeMicrodeg',
  'longitudeMicrodeg',
  'nic',
  'rcM',
  'gpsOkLatitudeMicrodeg',
  'gpsOkLongitudeMicrodeg',
  /** 1 on the ground, 0 in the air. */
  'onGround',
  /** Bytes in use of the row's `flights`; 0 when there is no call sign. */
  'flightLength',
  /** (letter − 'A') · 8 + digit. */
  'category',
  /** The four digits read as a decimal number. */
  'squawk',
  'emergency',
  'altitudeBaroFt',
  'altitudeGeomFt',
  'groundSpeedDeciKt',
  'iasKt',
  'tasKt',
  'machMilli',
  'trackCentideg',
  'calcTrackDeg',
  'trackRateCentidegPerS',
  'rollCentideg',
  'magHeadingCentideg',
  'trueHeadingCentideg',
  'baroRateFpm',
  'geomRateFpm',
  'navQnhDeciHpa',
  'navAltitudeMcpFt',
  'navAltitudeFmsFt',
  'navHeadingCentideg',
  'navModes',
  'version',
  'nicBaro',
  'nacP',
  'nacV',
  'sil',
  'silType',
  'gva',
  'sda',
  'alert',
  'spi',
  'windDirectionDeg',
  'windSpeedKt',
  'oatC',
  'tatC',
  'mlatFields',
  'tisbFields',
] as const;
export type ColumnName = (typeof columnNames)[number];

/** `A3` → 3, `B0` → 8; ABSENT for anything but A0 to D7. */
export function categoryCode(category: string): number {
  return category.length === 2 ? categoryOf(category.charCodeAt(0), category.charCodeAt(1)) : ABSENT;
}

/** The same of a category's two characters. */
export function categoryOf(letterCode: number, digitCode: number): number {
  const letter = letterCode - 0x41;
  const digit = digitCode - 0x30;
  return letter >= 0 && letter < 4 && digit >= 0 && digit < 8 ? letter * 8 + digit : ABSENT;
}
