// SBS-1 lines as BaseStation, dump1090 and we write them, as responses of another program.
import { expect, test } from 'vitest';
import { isSbsLine, readSbsLine } from './sbs.ts';

const dates = '2008/11/28,14:53:50.594,2008/11/28,14:58:51.153';

test('a position of BaseStation', () => {
  expect(readSbsLine(`MSG,3,496,211,4CA2D6,10057,${dates},,37000,,,51.45735,-1.02826,,,0,0,-1,0`, 'x')).toEqual({
    nowMs: Date.UTC(2008, 10, 28, 14, 58, 51, 153),
    whole: true,
    aircraft: [
      {
        hex: '4ca2d6',
        values: new Map<string, unknown>([
          ['alt_baro', 37_000],
          ['alert', 0],
          ['spi', 1],
          ['position', 'shown'],
        ]),
        position: { lat: 51.45735, lon: -1.02826, timeMs: Date.UTC(2008, 10, 28, 14, 53, 50, 594) },
        coarse: true,
        partial: true,
        unknown: [],
      },
    ],
  });
});

test('velocity with decimals, call sign with blanks, a code, an aircraft on the ground', () => {
  const valuesOf = (type: number, cells: string): object => {
    const { values, coarse } = readSbsLine(`MSG,${type},1,1,4ca767,1,${dates},${cells}`, 'x')!.aircraft[0]!;
    return { ...Object.fromEntries(values), coarse };
  };
  expect(valuesOf(4, ',,288.6,103.2,,,-832,,,,,')).toEqual({ gs: 288.6, track: 103.2, vert_rate: -832, coarse: false });
  expect(valuesOf(1, 'RJA1118 ,,,,,,,,,,,')).toEqual({ flight: 'RJA1118', coarse: true });
  expect(valuesOf(6, ',33325,,,,,,0271,-1,0,0,0')).toEqual({ alt_baro: 33_325, squawk: '0271', alert: 1, spi: 0, coarse: true });
  expect(valuesOf(8, ',,,,,,,,,,,-1')).toEqual({ alt_baro: 'ground', coarse: true });
});

test('other lines of the format are ignored, broken ones refused', () => {
  for (const line of [`AIR,,496,5906,400F01,27931,${dates}`, 'STA,,5,179,400AE7,10103', 'CLK,,496,-1,,-1']) {
    expect(isSbsLine(line)).toBe(true);
    expect(readSbsLine(line, 'x')).toBeNull();
  }
  expect(isSbsLine('{"hex":"4ca2d6"}')).toBe(false);
  for (const line of [`MSG,3,1,1,4CA2D6,1,${dates}`, `MSG,8,1,1,,1,${dates},,,,,,,,,,,,0`, 'MSG,8,1,1,4CA2D6,1,x,y,z,,,,,,,,,,,,,0'])
    expect(() => readSbsLine(line, 'x')).toThrow(expect.objectContaining({ code: 'verify.not_aircraft' }));
});
