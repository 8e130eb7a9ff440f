// Airborne position: real frames, the altitude source by type code, frames without a position.
import { describe, expect, test } from 'vitest';
import { decodeHex, squitter } from '../../test/golden/frames.ts';
import { ABSENT, KIND_AIRBORNE_POSITION } from './message.ts';

describe('made up', () => {
  const me = (typeCode: number, status = 0, nicB = 0, lat = 0x1abcd, lon = 0x05432, altitude = 0x5d0) =>
    squitter([typeCode, 5, status, 2, nicB, 1, altitude, 12, 0, 1, 1, 1, lat, 17, lon, 17]);

  test('TC 9-18 barometric, TC 20-22 above the ellipsoid; all fields at their bits', () => {
    for (const typeCode of [9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22]) {
      const { position, kind } = decodeHex(me(typeCode, 3, 1));
      expect(kind).toBe(KIND_AIRBORNE_POSITION);
      expect(typeCode < 20 ? position.altitudeBaroFt : position.altitudeGeomFt).not.toBe(ABSENT);
      expect(typeCode < 20 ? position.altitudeGeomFt : position.altitudeBaroFt).toBe(ABSENT);
      expect(position).toMatchObject({ surveillanceStatus: 3, nicB: 1, odd: true, cprLat: 0x1abcd, cprLon: 0x05432 });
    }
  });

  test('TC 0 has an altitude and no position', () => {
    const { position, kind } = decodeHex(me(0));
    expect(kind).toBe(KIND_AIRBORNE_POSITION);
    expect(position).toMatchObject({ cprLat: ABSENT, cprLon: ABSENT });
    expect(position.altitudeBaroFt).not.toBe(ABSENT);
  });

  test('TC 15 with only upper latitude bits is a transponder without a position source', () => {
    const none = { cprLat: ABSENT, cprLon: ABSENT };
    expect(decodeHex(me(15, 0, 0, 0x3000, 0, 0)).position).toMatchObject(none);
    expect(decodeHex(me(15, 0, 0, 0x3001, 0, 0)).position).toMatchObject({ cprLat: 0x3001, cprLon: 0 });
    expect(decodeHex(me(15, 0, 0, 0x3000, 1, 0)).position).toMatchObject({ cprLat: 0x3000, cprLon: 1 });
    expect(decodeHex(me(15, 0, 0, 0x3000, 0)).position).toMatchObject({ cprLat: 0x3000, cprLon: 0 });
    expect(decodeHex(me(14, 0, 0, 0x3000, 0, 0)).position).toMatchObject({ cprLat: 0x3000, cprLon: 0 });
  });
});
