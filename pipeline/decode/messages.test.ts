// What messages contain: fields at their bits, the ends of their ranges, and what versions, subtypes and status bits leave out. Values within the ranges are
// proved by test/truth (recorded frames) and test/sim/truth (every format).
import { expect, test } from 'vitest';
import { decodeHex, squitter, withParity } from '../../test/golden/frames.ts';
import type { Message } from './message.ts';
import { ABSENT, KIND_COARSE_POSITION, KIND_COMM_D, KIND_EXTENDED_OTHER, REJECT_MALFORMED, REJECT_NONE } from './message.ts';

type Expected = { readonly [Name in keyof Message]?: Message[Name] extends object ? Partial<Message[Name]> : Message[Name] };
type Row = readonly [what: string, hex: string, expected: Expected];
/** The fields of one member. */
type Part = readonly [what: string, hex: string, expected: object];

const me = (...groups: number[]): string => squitter(groups);
const reply = (hex: string): string => withParity(hex, 0x3c6586);

const airborne = (typeCode: number, lat: number, lon: number, altitude = 0x5d0, status = 0, nicB = 0): string =>
  me(typeCode, 5, status, 2, nicB, 1, altitude, 12, 0, 1, 1, 1, lat, 17, lon, 17);
const located = { surveillanceStatus: 3, nicB: 1, odd: true, cprLat: 0x1abcd, cprLon: 0x05432 };
const barometric = { ...located, altitudeBaroFt: 17_400, altitudeGeomFt: ABSENT };
const geometric = { ...located, altitudeBaroFt: ABSENT, altitudeGeomFt: 17_400 };

const positions: Part[] = [
  ...[9, 10, 11, 12, 13, 14, 15, 16, 17, 18].map(
    (typeCode): Part => [`TC ${typeCode}`, airborne(typeCode, 0x1abcd, 0x05432, 0x5d0, 3, 1), barometric],
  ),
  ...[20, 21, 22].map((typeCode): Part => [`TC ${typeCode}`, airborne(typeCode, 0x1abcd, 0x05432, 0x5d0, 3, 1), geometric]),
  ['TC 0: an altitude alone', airborne(0, 0x1abcd, 0x05432), { cprLat: ABSENT, cprLon: ABSENT, altitudeBaroFt: 17_400 }],
  // A transponder without a position source sends TC 15 with only upper bits of the latitude.
  ['TC 15 with only upper latitude bits', airborne(15, 0x3000, 0, 0), { cprLat: ABSENT, cprLon: ABSENT }],
  ['TC 15 with another latitude', airborne(15, 0x3001, 0, 0), { cprLat: 0x3001, cprLon: 0 }],
  ['TC 15 with a longitude', airborne(15, 0x3000, 1, 0), { cprLat: 0x3000, cprLon: 1 }],
  ['TC 15 with an altitude', airborne(15, 0x3000, 0), { cprLat: 0x3000, cprLon: 0 }],
  ['TC 14 with the same bits', airborne(14, 0x3000, 0, 0), { cprLat: 0x3000, cprLon: 0 }],
];

const movements = [1, 2, 3, 8, 9, 12, 13, 38, 39, 93, 94, 108, 109, 123, 124];
/** In version 0 they are the same except for 2 and 3. */
const movementsDeciKt = [0, 1, 2, 9, 11, 19, 22, 148, 155, 695, 710, 990, 1025, 1725, 1800];
const surface: Part[] = [
  ...movements.map((movement, i): Part => {
    const groundSpeedDeciKt = movementsDeciKt[i]!;
    const groundSpeedV0DeciKt = movement === 2 || movement === 3 ? movement : groundSpeedDeciKt;
    return [`movement ${movement}`, me(7, 5, movement, 7), { movement, groundSpeedDeciKt, groundSpeedV0DeciKt }];
  }),
  ...[0, 125, 127].map(
    (movement): Part => [`movement ${movement}`, me(7, 5, movement, 7), { groundSpeedDeciKt: ABSENT, groundSpeedV0DeciKt: ABSENT }],
  ),
  ['a track without its status bit', me(5, 5, 1, 7, 0, 1, 64, 7), { trackCentideg: ABSENT }],
  ['a track', me(5, 5, 1, 7, 1, 1, 64, 7), { trackCentideg: 18_000 }],
  ['the greatest track', me(5, 5, 1, 7, 1, 1, 127, 7), { trackCentideg: 35_719 }],
];

/** IMF, surveillance status, service volume, altitude, track with its status, speed, parity, coordinates. */
const coarse = (imf: number, status: number, volume: number, track: readonly [number, number], speed: number, odd = 0): string =>
  squitter([imf, 1, status, 2, volume, 4, 0xc38, 12, track[0], 1, track[1], 5, speed, 6, odd, 1, 0xabc, 12, 0x123, 12], '933c6586');
const coarsePositions: Row[] = [
  [
    'coarse TIS-B with neither track nor speed',
    coarse(0, 3, 15, [0, 31], 0),
    {
      ...{ kind: KIND_COARSE_POSITION, addressNonIcao: false, coarse: { serviceVolume: 15 } },
      position: {
        ...{ altitudeBaroFt: 38_000, cprLat: 0xabc << 5, cprLon: 0x123 << 5, odd: false, imf: 0, surveillanceStatus: 3 },
        ...{ groundSpeedDeciKt: ABSENT, groundSpeedV0DeciKt: ABSENT, trackCentideg: ABSENT, movement: ABSENT },
      },
    },
  ],
  [
    'the greatest coarse track and speed',
    coarse(1, 0, 0, [1, 31], 63, 1),
    { position: { odd: true, trackCentideg: 34_875, groundSpeedDeciKt: 19_680 } },
  ],
];

/** All bits after the version are set. The first two bits of capability class and operational mode are their formats; only 0 is defined. */
const status = (subtype: number, version: number, classFormat = 0, modeFormat = 0): string =>
  me(31, 5, subtype, 3, classFormat, 2, 0x3fff, 14, modeFormat, 2, 0x3fff, 14, version, 3, 0x1fff, 13);
const nothing = {
  nicA: ABSENT,
  nicBaro: ABSENT,
  nacP: ABSENT,
  sil: ABSENT,
  silType: ABSENT,
  headingMagnetic: ABSENT,
  trackNotHeading: ABSENT,
};
const newer = { gva: ABSENT, sda: ABSENT, nacV: ABSENT, nicC: ABSENT };
const statuses: Part[] = [
  // Version 0 contains only itself; 4 to 7 are not defined.
  ...[0, 4, 5, 6, 7].map((version): Part => [`version ${version}`, status(0, version), { version, ...nothing, ...newer }]),
  [
    'version 1 in the air',
    status(0, 1),
    { nicA: 1, nacP: 15, sil: 3, silType: 0, nicBaro: 1, headingMagnetic: 1, trackNotHeading: ABSENT, ...newer },
  ],
  ['version 1 on the ground', status(1, 1), { nicBaro: ABSENT, headingMagnetic: 1, trackNotHeading: 0, silType: 0, ...newer }],
  ...[2, 3].flatMap((version): Part[] => [
    [`version ${version} in the air`, status(0, version), { silType: 2, gva: 3, sda: 3, nacV: ABSENT, nicC: ABSENT, nicBaro: 1 }],
    [`version ${version} on the ground`, status(1, version), { surface: true, gva: ABSENT, sda: 3, nacV: 7, nicC: 1, trackNotHeading: 0 }],
  ]),
  ...[1, 2, 3].flatMap((format): Part[] => [
    [`class format ${format}`, status(1, 2, format, 0), { nacV: ABSENT, nicC: ABSENT, sda: 3, nacP: 15 }],
    [`mode format ${format}`, status(1, 2, 0, format), { nacV: 7, nicC: 1, sda: ABSENT, nacP: 15 }],
  ]),
];

/** Target state of version 1: sources and modes on both axes. */
const version1 = (verticalSource: number, verticalMode: number, altitude: number, source: number, heading: number, mode: number): string =>
  me(...[29, 5, 0, 2, verticalSource, 2, 0, 4, verticalMode, 2, altitude, 10, source, 2, heading, 9], ...[0, 1, mode, 2]);
const [VNAV, ALTITUDE_HOLD, LNAV] = [2, 4, 16] as const;
const targets: Part[] = [
  [
    'the greatest values, of the FMS, with SIL per sample',
    me(29, 5, 1, 2, 1, 1, 1, 1, 2047, 11, 511, 9, 1, 1, 511, 9),
    { navAltitudeMcpFt: ABSENT, navAltitudeFmsFt: 65_472, navQnhDeciHpa: 12_080, navHeadingCentideg: 35_930, silType: 2 },
  ],
  [
    'the least values, without modes',
    me(29, 5, 1, 2, 0, 1, 0, 1, 1, 11, 1, 9, 0, 1, 511, 9, 0, 4, 0, 1, 0, 2, 1, 1),
    { navAltitudeMcpFt: 0, navAltitudeFmsFt: ABSENT, navQnhDeciHpa: 8000, navHeadingCentideg: ABSENT, navModes: 0 },
  ],
  ['no values', me(29, 5, 1, 2), { navAltitudeMcpFt: ABSENT, navAltitudeFmsFt: ABSENT, navQnhDeciHpa: ABSENT, navModes: ABSENT }],
  ['version 1, FMS', version1(3, 2, 0, 3, 0, 1), { navAltitudeFmsFt: -1000, navAltitudeMcpFt: ABSENT, navModes: VNAV | LNAV }],
  ['version 1, holding', version1(2, 2, 300, 0, 90, 0), { navAltitudeMcpFt: ABSENT, navHeadingCentideg: ABSENT, navModes: ALTITUDE_HOLD }],
  ['version 1, nothing available', version1(0, 0, 300, 0, 90, 0), { navModes: ABSENT }],
  ['version 1, out of range', version1(1, 1, 1011, 1, 360, 0), { navAltitudeMcpFt: ABSENT, navHeadingCentideg: ABSENT }],
];

const others: Row[] = [
  ['an emergency without a squawk', me(28, 5, 1, 3, 7, 3), { emergency: { code: 7, squawk: ABSENT } }],
  ['an emergency with its squawk', me(28, 5, 1, 3, 1, 3, 0x0aaa, 13), { emergency: { code: 1, squawk: 7700 } }],
  ...[0xd0, 0xc0, 0xb0, 0xa0].flatMap((set, i) =>
    Array.from(
      { length: 8 },
      (_, n): Row => [`category ${n} of TC ${i + 1}`, me(i + 1, 5, n, 3), { identification: { category: set | n } }],
    ),
  ),
  ...(
    [
      [0, 0, 0, 0],
      [1, 1, 0, 0],
      [2, 0, 1, 0],
      [3, 1, 1, 0],
      [4, ABSENT, 1, 1],
      [5, ABSENT, 0, 1],
      [6, ABSENT, ABSENT, ABSENT],
      [7, ABSENT, ABSENT, ABSENT],
    ] as const
  ).map(
    ([code, onGround, alert, spi]): Row => [
      `flight status ${code}`,
      reply(`${(0x28 | code).toString(16)}000aaa`),
      { surveillance: { onGround, alert, spi } },
    ],
  ),
  [
    'vertical status 1',
    reply('06000000'),
    { surveillance: { altitudeBaroFt: ABSENT, squawk: ABSENT, onGround: 1, alert: ABSENT, spi: ABSENT } },
  ],
  // Frames from tests of terminal2/java-mode-s, cjkreklow/go-adsb and rsadsb/adsb_deku.
  ...(
    [
      ['c33d2901090141ae21c600180121', 0, 3],
      ['c4576da66a68295e7d22ed5dd112', 0, 4],
      ['daca7f82613c2db14a49c535a3a2', 1, 10],
      ['ff00ff00ff00ff00ff00ff00ff00', 1, 15],
    ] as const
  ).map(
    ([hex, acknowledgement, segment]): Row => [
      `Comm-D ${hex}`,
      hex,
      { df: 24, reject: REJECT_NONE, kind: KIND_COMM_D, addressAnnounced: false, commD: { acknowledgement, segment } },
    ],
  ),
  ['the address of Comm-D', reply('d3000102030405060708ff'), { address: 0x3c6586 }],
  ['Comm-D of seven bytes', 'c33d2901090141', { df: 24, reject: REJECT_MALFORMED }],
  ...(
    [
      [29, 2, 2],
      [29, 3, 2],
      [31, 2, 3],
      [31, 7, 3],
      [19, 0, 3],
      [19, 5, 3],
      [19, 6, 3],
      [19, 7, 3],
      [28, 0, 3],
      [28, 3, 3],
      [28, 7, 3],
    ] as const
  ).map(
    ([typeCode, subtype, width]): Row => [
      `TC ${typeCode}/${subtype}: no decoder`,
      me(typeCode, 5, subtype, width),
      { kind: KIND_EXTENDED_OTHER, subtype },
    ],
  ),
];

const within = (name: keyof Message, parts: readonly Part[]): Row[] => parts.map(([what, hex, part]) => [what, hex, { [name]: part }]);
test.each([
  ...within('position', [...positions, ...surface]),
  ...within('operationalStatus', statuses),
  ...within('targetState', targets),
  ...[...coarsePositions, ...others],
])('%s', (_, hex, expected) => {
  expect(decodeHex(hex)).toMatchObject(expected);
});

test('each of the 64 characters of a call sign: letters, digits and space are valid, the others are ?', () => {
  const allowed = '?ABCDEFGHIJKLMNOPQRSTUVWXYZ????? ???????????????0123456789??????';
  for (let code = 0; code < 64; code += 1)
    for (let position = 0; position < 8; position += 1) {
      const codes = Array.from({ length: 8 }, (_, index) => [index === position ? code : 1, 6]).flat();
      const { flight, flightValid } = decodeHex(me(4, 5, 3, 3, ...codes)).identification;
      expect(String.fromCharCode(...flight)).toBe(`${'A'.repeat(position)}${allowed[code]}${'A'.repeat(7 - position)}`);
      expect(flightValid).toBe(allowed[code] !== '?');
    }
});
