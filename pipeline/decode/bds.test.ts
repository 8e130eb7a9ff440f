// Every field of every Comm-B register is read from the bits that the standard gives; scores depend on the values.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mbHalves } from '../../test/support/mb-field.ts';
import { decodeServed, SERVED_REGISTERS } from './bds-1-7.ts';
import { decodeVerticalIntention } from './bds-4-0.ts';
import { decodeRoutineReport } from './bds-4-4.ts';
import { decodeHazardReport } from './bds-4-5.ts';
import { decodeTrackAndTurn } from './bds-5-0.ts';
import { decodeHeadingAndSpeed } from './bds-6-0.ts';
import { ABSENT, CommB } from './message.ts';

const out = new CommB();
const status = fc.integer({ min: 0, max: 1 });
const five = fc.tuple(status, status, status, status, status);
const code = (width: number) => fc.integer({ min: 0, max: 2 ** width - 1 });
const twos = (width: number) => fc.integer({ min: -(2 ** (width - 1)), max: 2 ** (width - 1) - 1 });
const valueIf = (bit: number, value: number): number => (bit === 1 ? value : ABSENT);
const near = (found: number, sent: number): void => expect(Math.abs(found - sent)).toBeLessThanOrEqual(0.5);
const around = (steps: number, step: number): number => (steps * step + 36_000) % 36_000;

describe('every field', () => {
  test('1,7', () => {
    const served = (): string[] => SERVED_REGISTERS.filter((_, index) => (out.served >> (26 - index)) & 1);
    decodeServed(mbHalves(1, 1, 0, 55)[0], out);
    expect(served()).toEqual(['0,5']);
    decodeServed(mbHalves(0, 6, 1, 1, 0, 16, 1, 1, 0, 2, 1, 1, 0, 29)[0], out);
    expect(served()).toEqual(['2,0', '6,0', 'F,1']);
  });

  test('4,0', () => {
    fc.assert(
      fc.property(five, code(12), code(12), code(12), code(3), ([s1, s2, s3, s4, s5], mcp, fms, qnh, modes) => {
        decodeVerticalIntention(...mbHalves(s1, 1, mcp, 12, s2, 1, fms, 12, s3, 1, qnh, 12, 0, 8, s4, 1, modes, 3, 0, 2, s5, 1, 3, 2), out);
        expect([out.navAltitudeMcpFt, out.navAltitudeFmsFt]).toEqual([valueIf(s1, 16 * mcp), valueIf(s2, 16 * fms)]);
        expect(out.navQnhDeciHpa).toBe(valueIf(s3, 8000 + qnh));
        expect(out.navModes).toBe(valueIf(s4, (modes & 4 ? 2 : 0) + (modes & 2 ? 4 : 0) + (modes & 1 ? 8 : 0)));
      }),
    );
  });

  test('4,4', () => {
    fc.assert(
      fc.property(five, code(9), code(9), twos(10), code(11), code(6), ([s1, s2, s3], speed, direction, degrees, hpa, wet) => {
        decodeRoutineReport(...mbHalves(1, 4, 1, 1, speed, 9, direction, 9, degrees, 11, s1, 1, hpa, 11, s2, 1, 2, 2, s3, 1, wet, 6), out);
        expect([out.windSpeedKt, out.temperatureCentiC]).toEqual([speed, 25 * degrees]);
        expect([out.pressureHpa, out.turbulence]).toEqual([valueIf(s1, hpa), valueIf(s2, 2)]);
        near(out.windDirectionCentideg, (direction * 18_000) / 256);
        near(out.humidityDeciPercent, valueIf(s3, (wet * 1000) / 64));
      }),
    );
  });

  test('4,5', () => {
    fc.assert(
      fc.property(five, code(2), code(2), twos(10), code(11), code(12), ([s1, s2, s3, s4, s5], shear, icing, degrees, hpa, height) => {
        const hazards = [s1, 1, 1, 2, s2, 1, shear, 2, 0, 3, s3, 1, icing, 2, s4, 1, 3, 2];
        decodeHazardReport(...mbHalves(...hazards, 1, 1, degrees, 10, s5, 1, hpa, 11, s1, 1, height, 12, 0, 5), out);
        expect([out.turbulence, out.windShear, out.microburst]).toEqual([valueIf(s1, 1), valueIf(s2, shear), ABSENT]);
        expect([out.icing, out.wakeVortex]).toEqual([valueIf(s3, icing), valueIf(s4, 3)]);
        expect([out.temperatureCentiC, out.pressureHpa]).toEqual([25 * degrees, valueIf(s5, hpa)]);
        expect(out.radioHeightFt).toBe(valueIf(s1, 16 * height));
      }),
    );
  });

  test('5,0', () => {
    fc.assert(
      fc.property(five, twos(10), twos(11), code(10), twos(10), code(10), ([s1, s2, s3, s4, s5], roll, track, speed, rate, tas) => {
        decodeTrackAndTurn(...mbHalves(s1, 1, roll, 10, s2, 1, track, 11, s3, 1, speed, 10, s4, 1, rate, 10, s5, 1, tas, 10), out);
        expect([out.groundSpeedDeciKt, out.tasKt]).toEqual([valueIf(s3, 20 * speed), valueIf(s5, 2 * tas)]);
        near(out.rollCentideg, valueIf(s1, (roll * 4500) / 256));
        near(out.trackCentideg, valueIf(s2, around(track, 9000 / 512)));
        near(out.trackRateCentidegPerS, valueIf(s4, (rate * 800) / 256));
      }),
    );
  });

  test('6,0', () => {
    fc.assert(
      fc.property(five, twos(11), code(10), code(10), twos(10), twos(10), ([s1, s2, s3, s4, s5], heading, ias, mach, baro, inertial) => {
        decodeHeadingAndSpeed(...mbHalves(s1, 1, heading, 11, s2, 1, ias, 10, s3, 1, mach, 10, s4, 1, baro, 10, s5, 1, inertial, 10), out);
        near(out.magHeadingCentideg, valueIf(s1, around(heading, 9000 / 512)));
        expect([out.iasKt, out.machMilli]).toEqual([valueIf(s2, ias), valueIf(s3, 4 * mach)]);
        expect([out.baroRateFpm, out.geomRateFpm]).toEqual([valueIf(s4, 32 * baro), valueIf(s5, 32 * inertial)]);
      }),
    );
  });
});
