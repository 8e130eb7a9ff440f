// What a stream of WatchAircraft watches: one aircraft, or the aircraft in a box.
import { keyHex } from '../../../pipeline/view/hex-key.ts';
import type { Box } from '../../../pipeline/view/position-grid.ts';
import { inBox } from '../../../pipeline/view/search.ts';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { boxOf, parseHex } from '../../queries/selections.ts';
import { inRange, missing, required } from '../operations.ts';

export type WatchTarget = { readonly kind: 'aircraft'; readonly key: number } | { readonly kind: 'box'; readonly box: Box };

export interface WatchArguments {
  readonly hex?: string | undefined;
  readonly box?:
    | {
        readonly minLat?: number | undefined;
        readonly minLon?: number | undefined;
        readonly maxLat?: number | undefined;
        readonly maxLon?: number | undefined;
      }
    | undefined;
}

/** Errors: `api.missing_parameter`, `api.bad_value`. */
export function watchTarget({ hex, box }: WatchArguments): WatchTarget {
  if (hex !== undefined) return { kind: 'aircraft', key: parseHex(hex) };
  if (box === undefined) throw missing(['hex or box']);
  const { min_lat, min_lon, max_lat, max_lon } = required({
    min_lat: box.minLat,
    min_lon: box.minLon,
    max_lat: box.maxLat,
    max_lon: box.maxLon,
  });
  inRange('min_lat', min_lat, -90, 90);
  inRange('max_lat', max_lat, -90, 90);
  inRange('min_lon', min_lon, -180, 180);
  inRange('max_lon', max_lon, -180, 180);
  return { kind: 'box', box: boxOf(min_lat, min_lon, max_lat, max_lon) };
}

/** Equal for equal targets. */
export function targetKey(target: WatchTarget): string {
  return target.kind === 'aircraft' ? keyHex(target.key) : Object.values(target.box).join();
}

/** Numbers of the aircraft in the listing. */
export function findTarget(target: WatchTarget, snapshot: Snapshot): Int32Array {
  if (target.kind === 'aircraft') {
    const index = snapshot.numberOf(target.key);
    return index < 0 ? new Int32Array(0) : Int32Array.of(index);
  }
  const { count, indices } = inBox(snapshot.listing, target.box);
  return indices.slice(0, count);
}
