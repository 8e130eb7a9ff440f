// MB fields of Comm-B replies from bit groups, for tests.

/** The two halves, 28 bits each, of the field whose groups are given as value, width, value, width …; negative values in two's complement. */
export function mbHalves(...groups: readonly number[]): [high: number, low: number] {
  let bits = '';
  for (let i = 0; i < groups.length; i += 2) {
    const width = groups[i + 1]!;
    bits += (groups[i]! & (2 ** width - 1)).toString(2).padStart(width, '0');
  }
  if (bits.length !== 56) throw new Error(`${bits.length} bits instead of 56`);
  return [Number.parseInt(bits.slice(0, 28), 2), Number.parseInt(bits.slice(28), 2)];
}

/** The 28 hex digits of a reply with this field; parity is left 0. Without a header: DF 21, squawk 0400. */
export function mbFrame([high, low]: readonly [high: number, low: number], header = 'a8000800'): string {
  return `${header}${high.toString(16).padStart(7, '0')}${low.toString(16).padStart(7, '0')}000000`;
}

/** An aircraft's motion, as in register 5,0. */
export interface Motion {
  rollDeg: number;
  trackDeg: number;
  groundSpeedKt: number;
  trackRateDegPerS: number;
  tasKt: number;
}

/** Register 5,0 of a motion. */
export function trackAndTurn(motion: Motion): [high: number, low: number] {
  const [roll, track] = [Math.round((motion.rollDeg * 256) / 45), Math.round((motion.trackDeg * 512) / 90)];
  const [speed, rate, tas] = [Math.round(motion.groundSpeedKt / 2), Math.round(motion.trackRateDegPerS * 32), Math.round(motion.tasKt / 2)];
  return mbHalves(1, 1, roll, 10, 1, 1, track, 11, 1, 1, speed, 10, 1, 1, rate, 10, 1, 1, tas, 10);
}
