// Responses of other programs in our terms: names, units, times and clear errors.
import { describe, expect, it } from 'vitest';
import { SquitterError } from '../../../schemas/errors.ts';
import { readResponse } from './theirs.ts';

const NOW_S = 1_700_000_000.5;

function read(document: unknown): ReturnType<typeof readResponse> {
  return readResponse(JSON.stringify(document), 'test', 1);
}

function codeOf(text: string): string {
  try {
    readResponse(text, 'test', 1);
  } catch (error) {
    if (error instanceof SquitterError) return error.code;
    throw error;
  }
  return 'none';
}

describe('readAnswer', () => {
  it('reads a list as in readsb, ages as times', () => {
    const aircraft = {
      hex: '3C6586',
      flight: 'DLH1   ',
      alt_baro: 'ground',
      lat: 1,
      lon: 2,
      seen_pos: 1.5,
      seen: 0.1,
      mlat: ['lon', 'lat'],
    };
    const response = read({ now: NOW_S, aircraft: [aircraft] });
    expect(response).toMatchObject({ nowMs: 1_700_000_000_500, whole: true });
    const [first] = response.aircraft;
    expect(first).toMatchObject({ hex: '3c6586', coarse: false, position: { lat: 1, lon: 2, timeMs: 1_699_999_999_000 } });
    expect(Object.fromEntries(first!.values)).toEqual({
      flight: 'DLH1',
      alt_baro: 'ground',
      position: 'shown',
      seen_pos: 1_699_999_999_000,
      seen: 1_700_000_000_400,
      mlat: 'lat lon',
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
    expect(codeOf(text)).toBe('verify.not_aircraft');
  });
});
