// Coarse TIS-B: a recorded frame, and every field at its bits and range limits.
import { describe, expect, test } from 'vitest';
import { decodeHex, squitter } from '../../test/golden/frames.ts';
import { ABSENT, KIND_COARSE_POSITION, ORIGIN_TISB_COARSE, REJECT_NONE } from './message.ts';

test('a recorded frame with CF 3 (twuillemin/modes, Apache-2.0); lib1090 gives the same position', () => {
  const message = decodeHex('9364efcb836084c1d529e306b242');
  expect(message).toMatchObject({ reject: REJECT_NONE, kind: KIND_COARSE_POSITION, origin: ORIGIN_TISB_COARSE, addressNonIcao: true });
  expect(message.coarse.serviceVolume).toBe(1);
  expect(message.position).toMatchObject({
    ...{ odd: true, cprLat: 3410 << 5, cprLon: 2531 << 5, altitudeBaroFt: 111_100, altitudeGeomFt: ABSENT },
    ...{ surveillanceStatus: 0, imf: 1, nicB: ABSENT, trackCentideg: ABSENT, groundSpeedDeciKt: 320 * 31 },
  });
});

describe('made up', () => {
  const of = (fields: { imf?: number; status?: number; site?: number; track?: [number, number]; speed?: number; odd?: number }) =>
    decodeHex(
      squitter(
        [
          fields.imf ?? 0,
          1,
          fields.status ?? 0,
          2,
          fields.site ?? 0,
          4,
          0xc38,
          12,
          fields.track?.[0] ?? 0,
          1,
          fields.track?.[1] ?? 0,
          5,
          fields.speed ?? 0,
          6,
          fields.odd ?? 0,
          1,
          0xabc,
          12,
          0x123,
          12,
        ],
        '933c6586',
      ),
    );

  test('fields are independent', () => {
    expect(of({}).position).toMatchObject({ altitudeBaroFt: 38_000, cprLat: 0xabc << 5, cprLon: 0x123 << 5, odd: false, imf: 0 });
    expect(of({}).position).toMatchObject({
      groundSpeedDeciKt: ABSENT,
      groundSpeedV0DeciKt: ABSENT,
      trackCentideg: ABSENT,
      movement: ABSENT,
    });
    expect(of({}).addressNonIcao).toBe(false);
    expect(of({ imf: 1 }).addressNonIcao).toBe(true);
    expect(of({ status: 3 }).position.surveillanceStatus).toBe(3);
    expect(of({ site: 15 }).coarse.serviceVolume).toBe(15);
    expect(of({ odd: 1 }).position.odd).toBe(true);
    expect(of({ track: [1, 31] }).position.trackCentideg).toBe(34_875);
    expect(of({ track: [0, 31] }).position.trackCentideg).toBe(ABSENT);
  });

  test.each([
    [1, 80],
    [2, 320],
    [3, 640],
    [62, 19_520],
    [63, 19_680],
  ])('speed %i is %i tenths of a knot', (speed, deciKt) => {
    expect(of({ speed }).position.groundSpeedDeciKt).toBe(deciKt);
  });
});
