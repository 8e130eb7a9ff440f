// Responses of other programs in our terms: names, units, times and clear errors.
import { describe, expect, it } from 'vitest';
import { isSameValue, rulesByName, windValue } from './fields.ts';
import { readResponse } from './theirs.ts';

const NOW_S = 1_700_000_000.5;

function read(document: unknown): ReturnType<typeof readResponse> {
  return readResponse(JSON.stringify(document), 'test', 1);
}

describe('responses', () => {
  it('reads a list as in readsb, ages as times', () => {
    const position = { lat: 1, lon: 2, seen_pos: 1.5, seen: 0.1, mlat: ['lon', 'lat'] };
    const aircraft = { hex: '3C6586', flight: 'DLH1   ', alt_baro: 'ground', ...position };
    const response = read({ now: NOW_S, aircraft: [aircraft] });
    expect(response).toMatchObject({ nowMs: 1_700_000_000_500, whole: true });
    const [first] = response.aircraft;
    expect(first).toMatchObject({ hex: '3c6586', coarse: false, position: { lat: 1, lon: 2, timeMs: 1_699_999_999_000 } });
    const times = { seen_pos: 1_699_999_999_000, seen: 1_700_000_000_400 };
    expect(Object.fromEntries(first!.values)).toEqual({
      ...{ flight: 'DLH1', alt_baro: 'ground', position: 'shown', mlat: 'lat lon', ...times },
    });
  });

  it('reads the names of older programs, and marks their values as coarse', () => {
    const [first] = read({
      now: NOW_S,
      aircraft: [{ hex: 'abc123', altitude: 1000, speed: 200, vert_rate: -64, nucp: 7, rssi: -49.5 }],
    }).aircraft;
    expect(first!.coarse).toBe(true);
    expect(Object.fromEntries(first!.values)).toEqual({ alt_baro: 1000, gs: 200, vert_rate: -64 });
  });

  it("reads the aggregators' envelope, a bare list and a line of one aircraft", () => {
    expect(read({ now: NOW_S * 1000, ac: [{ hex: 'abc123' }] })).toMatchObject({ nowMs: 1_700_000_000_500, whole: true });
    expect(read([{ hex: 'abc123' }])).toMatchObject({ nowMs: 1, whole: true });
    expect(read({ now: NOW_S, hex: 'abc123', lat: 1, lon: 2 })).toMatchObject({ whole: false, aircraft: [{ hex: 'abc123' }] });
  });

  it('lists members without a rule, and ignores those of databases and receivers', () => {
    const [first] = read({ now: NOW_S, aircraft: [{ hex: 'abc123', r: 'D-AIMA', r_dst: 1, novel: 3 }] }).aircraft;
    expect(first!.unknown).toEqual(['novel']);
  });

  it.each(['', '{', 'null', '3', '{"now":1}', '"x"'])('refuses %j', (text) => {
    expect(() => readResponse(text, 'test', 1)).toThrow(expect.objectContaining({ code: 'verify.not_aircraft' }));
  });
});

it('a wind is one vector: the direction of a light one says little, that of a fast one much', () => {
  const isSame = (ours: readonly [number, number], theirs: readonly [number, number]): boolean =>
    isSameValue(rulesByName.get('wind')!, false, windValue(...ours)!, windValue(...theirs)!);
  expect(isSame([350, 3], [20, 4])).toBe(true);
  expect(isSame([359, 60], [1, 61])).toBe(true);
  expect(isSame([350, 60], [0, 60])).toBe(false);
  expect(isSame([350, 3], [350, 7])).toBe(false);
  expect(windValue(350, undefined)).toBeUndefined();
});
