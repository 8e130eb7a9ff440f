// Altitude and identity codes of Mode S: ICAO Annex 10 vol. IV §3.1.2.6.5.4 and appendix (Gillham), DO-260B §2.2.3.2.3.4.3.
//
//   13-bit altitude  C1 A1 C2 A2 C4 A4 M B1 Q B2 D2 B4 D4   (M 0: feet)
//   12-bit altitude  the same without M
//   13-bit identity  C1 A1 C2 A2 C4 A4 0 B1 D1 B2 D2 B4 D4

const ALTITUDE_25FT_MIN = -1000;
const ALTITUDE_GILLHAM_MIN = -1200;
const ALTITUDE_GILLHAM_MAX = 126_700;

/** C1 C2 C4 for the first to the fifth 100 ft of a 500-ft step. */
const hundredsCodes = [0b001, 0b011, 0b010, 0b110, 0b100];

/**
 * 12-bit altitude code of an ADS-B position, NaN for an unknown altitude. Steps of 25 ft, or Gillham's steps of 100 ft above their range or
 * when `gillham` is set.
 */
export function altitudeCode12(altitudeFt: number, gillham: boolean): number {
  const code = altitudeCode13(altitudeFt, gillham);
  return ((code & 0x1f80) >>> 1) | (code & 0x3f);
}

/** 13-bit altitude code of DF 0, 4, 16 and 20, M = 0; 0 for an unknown altitude (NaN). */
export function altitudeCode13(altitudeFt: number, gillham: boolean): number {
  if (Number.isNaN(altitudeFt)) return 0;
  const steps = Math.round((altitudeFt - ALTITUDE_25FT_MIN) / 25);
  if (gillham || steps > 0x7ff) return gillhamCode(altitudeFt);
  const n = Math.max(0, steps);
  return ((n & 0x7e0) << 2) | ((n & 0x10) << 1) | 0x10 | (n & 0xf);
}

function gillhamCode(altitudeFt: number): number {
  const clamped = Math.min(ALTITUDE_GILLHAM_MAX, Math.max(ALTITUDE_GILLHAM_MIN, altitudeFt));
  const hundreds = Math.round(clamped / 100) + 12;
  const fiveHundreds = Math.floor(hundreds / 5);
  const step = hundreds - 5 * fiveHundreds;
  const c = hundredsCodes[(fiveHundreds & 1) === 0 ? step : 4 - step]!;
  // Reflected binary, from the top: D2 D4 A1 A2 A4 B1 B2 B4.
  const gray = fiveHundreds ^ (fiveHundreds >>> 1);
  return interleave(reverse3((gray >>> 3) & 7), reverse3(gray & 7), reverse3(c), ((gray >>> 7) & 1) * 2 + ((gray >>> 6) & 1) * 4);
}

/** 13-bit identity code of a squawk given by its four octal digits as a decimal number, 7700 for 7700. */
export function identityCode13(squawk: number): number {
  const a = Math.floor(squawk / 1000) % 10;
  const b = Math.floor(squawk / 100) % 10;
  const c = Math.floor(squawk / 10) % 10;
  return interleave(a, b, c, squawk % 10);
}

/** Four octal digits (bit 0 = pulse 1, bit 1 = pulse 2, bit 2 = pulse 4) to the order on the air. */
function interleave(a: number, b: number, c: number, d: number): number {
  return (
    ((c & 1) << 12) |
    ((a & 1) << 11) |
    ((c & 2) << 9) |
    ((a & 2) << 8) |
    ((c & 4) << 6) |
    ((a & 4) << 5) |
    ((b & 1) << 5) |
    ((d & 1) << 4) |
    ((b & 2) << 2) |
    ((d & 2) << 1) |
    ((b & 4) >>> 1) |
    ((d & 4) >>> 2)
  );
}

/** Pulses written 1-2-4 from the left, as a number, to the same with pulse 1 in bit 0. */
function reverse3(pulses: number): number {
  return ((pulses & 1) << 2) | (pulses & 2) | (pulses >>> 2);
}
