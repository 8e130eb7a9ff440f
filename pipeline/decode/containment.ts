// Navigation integrity category and containment radius of a position, from its type code, the version and the NIC supplements.
// DO-260B tables 2-69 and 2-70 (version 2), DO-260A table 2-70 (version 1), DO-260 table 2-11 (version 0: NUCp).
//
//   TC                version 2                                  version 1               version 0
//    5  9 20          NIC 11  Rc 7.5 m
//    6 10 21          NIC 10  Rc 25 m
//    7     surface    A=1 C=0: 9, 75 m; else 8, 0.1 NM           A=1: 9, 75 m; else 8    8, 0.1 NM
//    8     surface    A C = 11: 7, 0.2 NM; 10: 6, 0.3; 01: 6,    0, unknown              0, unknown
//                     0.6; 00: 0, unknown
//   11                A=1 B=1: 9, 75 m; else 8, 0.1 NM           A=1: 9, 75 m; else 8    8, 0.1 NM
//   12                NIC 7   0.2 NM
//   13                6: A B = 01 0.3 NM; 00 0.5; 11 0.6;        A=1: 0.6 NM; else 0.5   0.5 NM
//                     10 undefined: unknown
//   14                NIC 5   1 NM
//   15                NIC 4   2 NM
//   16                A=1 B=1: 3, 4 NM; else 2, 8 NM             A=1: 3, 4 NM; else 2, 8 2, 10 NM
//   17                NIC 1   20 NM
//   0 18 22           NIC 0   unknown
//
// Radii are whole metres, rounded up, 0 for unknown. (readsb gives 926 m for TC 8 with A=0 C=1, where the standard says 0.6 NM.)

/** Result; created once by the caller, then overwritten. */
export interface Containment {
  /** 0 to 11. */
  nic: number;
  /** Metres; 0 unknown. */
  rcM: number;
}

const TYPE_CODES = 32;
type Row = readonly [nic: number, rcM: number];

/** Type codes that mean the same in every version. */
const PLAIN_ROWS: Readonly<Record<number, Row>> = {
  5: [11, 8],
  6: [10, 25],
  9: [11, 8],
  10: [10, 25],
  12: [7, 371],
  14: [5, 1852],
  15: [4, 3704],
  17: [1, 37_040],
  20: [11, 8],
  21: [10, 25],
};

/** Entry ((version * 8 + a * 4 + b * 2 + c) * 32 + type code). */
const NIC_TABLE = new Uint8Array(3 * 8 * TYPE_CODES);
const RC_TABLE = new Uint16Array(3 * 8 * TYPE_CODES);
for (let version = 0; version < 3; version += 1) {
  for (let supplements = 0; supplements < 8; supplements += 1) {
    for (let typeCode = 0; typeCode < TYPE_CODES; typeCode += 1) {
      const [nic, rcM] = row(typeCode, version, (supplements & 4) !== 0, (supplements & 2) !== 0, (supplements & 1) !== 0);
      NIC_TABLE[(version * 8 + supplements) * TYPE_CODES + typeCode] = nic;
      RC_TABLE[(version * 8 + supplements) * TYPE_CODES + typeCode] = rcM;
    }
  }
}

/** Fills `out` for a position of TC 0, 5-18, 20-22. A supplement counts as set only when it is 1, so ABSENT is 0; versions above 2 count as 2. */
export function containment(typeCode: number, version: number, nicA: number, nicB: number, nicC: number, out: Containment): void {
  const table = version >= 2 ? 2 : version === 1 ? 1 : 0;
  const supplements = (nicA === 1 ? 4 : 0) | (nicB === 1 ? 2 : 0) | (nicC === 1 ? 1 : 0);
  const index = (table * 8 + supplements) * TYPE_CODES + (typeCode & 31);
  out.nic = NIC_TABLE[index]!;
  out.rcM = RC_TABLE[index]!;
}

function row(typeCode: number, version: number, a: boolean, b: boolean, c: boolean): Row {
  if (typeCode === 7) return (version === 2 && a && !c) || (version === 1 && a) ? [9, 75] : [8, 186];
  if (typeCode === 8) return surfaceWorst(version, a, c);
  if (typeCode === 11) return (version === 2 && a && b) || (version === 1 && a) ? [9, 75] : [8, 186];
  if (typeCode === 13) return [6, typeCode13(version, a, b)];
  if (typeCode === 16) {
    if (version === 0) return [2, 18_520];
    return a && (b || version === 1) ? [3, 7408] : [2, 14_816];
  }
  return PLAIN_ROWS[typeCode] ?? [0, 0];
}

function surfaceWorst(version: number, a: boolean, c: boolean): Row {
  if (version < 2 || (!a && !c)) return [0, 0];
  if (a && c) return [7, 371];
  return a ? [6, 556] : [6, 1112];
}

function typeCode13(version: number, a: boolean, b: boolean): number {
  if (version === 0) return 926;
  if (version === 1) return a ? 1112 : 926;
  if (a) return b ? 1112 : 0;
  return b ? 556 : 926;
}
