// How well a place is covered by receivers, as two headers of geographic answers. Both are buckets of what was measured: no place of a receiver
// and no name of one is in them.

import { positionVector } from '../../pipeline/geo/sphere.ts';
import type { ReceiverReaches } from '../../pipeline/view/receiver-reaches.ts';

/** The place that a geographic answer is about. */
export interface CoveredPlace {
  readonly latDeg: number;
  readonly lonDeg: number;
}

/** A receiver this far away hears most of what flies in cruise. */
const COVERED_NM = 150;
const COVERAGE = 'x-service-coverage';
const NEAREST_RECEIVER = 'x-service-nearest-receiver';

const NONE: readonly string[] = [];

/** The headers, names and values in turn; none where no receiver is measured. */
export function coverageHeaders(receivers: ReceiverReaches, place: CoveredPlace | undefined): readonly string[] {
  if (place === undefined || receivers.count === 0) return NONE;
  const { nearestNm, count } = receivers.around(positionVector(place.latDeg, place.lonDeg), COVERED_NM);
  return [COVERAGE, coverageOf(count), NEAREST_RECEIVER, distanceBucket(nearestNm)];
}

/** Receivers within COVERED_NM in a word. */
export function coverageOf(receivers: number): string {
  if (receivers === 0) return 'none';
  if (receivers === 1) return 'low';
  return receivers < 4 ? 'medium' : 'high';
}

export function distanceBucket(distanceNm: number): string {
  if (distanceNm < 25) return '<25nm';
  if (distanceNm < 50) return '<50nm';
  if (distanceNm < 100) return '<100nm';
  return distanceNm < 250 ? '<250nm' : '>=250nm';
}

/** The middle of a box in degrees; of one that crosses the antimeridian too. */
export function boxMiddle(box: { southDeg: number; westDeg: number; northDeg: number; eastDeg: number }): CoveredPlace {
  const { southDeg, westDeg, northDeg, eastDeg } = box;
  const widthDeg = eastDeg >= westDeg ? eastDeg - westDeg : eastDeg - westDeg + 360;
  return { latDeg: (southDeg + northDeg) / 2, lonDeg: westDeg + widthDeg / 2 };
}
