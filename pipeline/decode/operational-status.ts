// Operational status, TC 31 subtypes 0 (airborne) and 1 (surface) (BDS 6,5). Version 2: DO-260B §2.2.3.2.7.2; 1: DO-260A; 0: DO-260.
//
//   ME bit  1-5   TC 31
//           6-8   subtype
//           9-24  capability class; surface, version 2: 17-19 NACv, 20 NIC supplement C (format 9-10 = 0)
//          25-40  operational mode; version 2: 31-32 SDA (format 25-26 = 0)
//          41-43  version: 0, 1, 2 (3: DO-260C, the same layout). In version 0 nothing beyond it is defined
//          44     NIC supplement A
//          45-48  NACp
//          49-50  airborne, version 2: GVA (version 1: BAQ, not used)
//          51-52  SIL
//          53     airborne: NIC baro; surface: 0 the position message contains the track, 1 the heading
//          54     1 headings refer to magnetic north, 0 to true north
//          55     version 2: SIL supplement: 0 per hour, 1 per sample
//          56     ADS-R: ICAO/Mode A flag

import { ABSENT, type OperationalStatus } from './message.ts';

const SIL_UNKNOWN = 0;
const SIL_PER_HOUR = 1;
const SIL_PER_SAMPLE = 2;
const VERSION_MAX = 3;

/** `me` is the offset of the ME field. Versions above 3 are not defined: only the version is read. */
export function decodeOperationalStatus(bytes: Uint8Array, me: number, out: OperationalStatus): void {
  const b5 = bytes[me + 5]!;
  const version = b5 >> 5;
  out.version = version;
  out.surface = (bytes[me]! & 7) === 1;
  clear(out);
  if (version === 0 || version > VERSION_MAX) return;
  const b6 = bytes[me + 6]!;
  out.nicA = (b5 >> 4) & 1;
  out.nacP = b5 & 0xf;
  out.sil = (b6 >> 4) & 3;
  out.silType = SIL_UNKNOWN;
  out.headingMagnetic = (b6 >> 2) & 1;
  if (out.surface) out.trackNotHeading = (b6 & 8) === 0 ? 1 : 0;
  else out.nicBaro = (b6 >> 3) & 1;
  if (version >= 2) decodeVersion2(bytes, me, out);
}

function decodeVersion2(bytes: Uint8Array, me: number, out: OperationalStatus): void {
  const b2 = bytes[me + 2]!;
  const b3 = bytes[me + 3]!;
  const b6 = bytes[me + 6]!;
  out.silType = b6 & 2 ? SIL_PER_SAMPLE : SIL_PER_HOUR;
  if ((b3 & 0xc0) === 0) out.sda = b3 & 3;
  if (!out.surface) {
    out.gva = b6 >> 6;
  } else if ((bytes[me + 1]! & 0xc0) === 0) {
    out.nacV = b2 >> 5;
    out.nicC = (b2 >> 4) & 1;
  }
}

function clear(out: OperationalStatus): void {
  out.nicA = ABSENT;
  out.nicC = ABSENT;
  out.nicBaro = ABSENT;
  out.nacP = ABSENT;
  out.nacV = ABSENT;
  out.sil = ABSENT;
  out.silType = ABSENT;
  out.gva = ABSENT;
  out.sda = ABSENT;
  out.headingMagnetic = ABSENT;
  out.trackNotHeading = ABSENT;
}
