// Receiver coverage of a position, in buckets: they contain neither the position of a receiver nor its name.

import { positionVector } from '../../pipeline/geo/sphere.ts';
import type { MeasuredReceivers } from '../../pipeline/view/measured-receivers.ts';
import type { Box } from '../../pipeline/view/position-grid.ts';
import type { Circle } from '../../pipeline/view/search.ts';

/** The position of a geographic response. */
export type CoveredPosition = Pick<Circle, 'latDeg' | 'lonDeg'>;

/** A receiver hears most of the cruising traffic within this distance. */
const COVERED_NM = 150;

/** `coverage`: `none`, `low`, `medium`, `high`. `nearest`: bucket of the distance to the nearest receiver, as `<25nm`. Null before a receiver is measured. */
export function receiverCoverage(receivers: MeasuredReceivers, { latDeg, lonDeg }: CoveredPosition) {
  if (receivers.count === 0) return null;
  const { nearestNm, count } = receivers.around(positionVector(latDeg, lonDeg), COVERED_NM);
  const bucketNm = [25, 50, 100, 250].find((nm) => nearestNm < nm);
  return { coverage: ['none', 'low', 'medium', 'medium'][count] ?? 'high', nearest: bucketNm === undefined ? '>=250nm' : `<${bucketNm}nm` };
}

/** The middle of a box in degrees; the box may cross the antimeridian. */
export function boxMiddle({ southDeg, westDeg, northDeg, eastDeg }: Box): CoveredPosition {
  const widthDeg = eastDeg >= westDeg ? eastDeg - westDeg : eastDeg - westDeg + 360;
  return { latDeg: (southDeg + northDeg) / 2, lonDeg: westDeg + widthDeg / 2 };
}
