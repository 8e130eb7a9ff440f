// Land of Natural Earth within a box. The data are those of the pages' base map, which the package has.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile, packageRoot } from '../../pipeline/runtime/package-root.ts';

const TREE = 'dist/web/web';
/** A ring that only touches the box becomes a line along its edge. */
const LINE_AREA = 1e-9;

/** Degrees. */
export interface Box {
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
}
type Point = readonly [longitude: number, latitude: number];

/** The members that are read of TopoJSON, https://github.com/topojson/topojson-specification: lines are shared, and their points are differences. */
interface Topology {
  readonly transform: { readonly scale: Point; readonly translate: Point };
  readonly arcs: readonly (readonly Point[])[];
  readonly objects: { readonly land: { readonly geometries: readonly { readonly arcs: readonly (readonly (readonly number[])[])[] }[] } };
}

/** Outlines of land in a box, cut off at its edges. A ring within another is water. The detail is that of the box. Error: `install.incomplete`. */
export function landIn(box: Box): Point[][] {
  const span = box.east - box.west;
  const detail = span > 90 ? '110m' : span > 15 ? '50m' : '10m';
  const [folder = ''] = readdirSync(join(packageRoot(), TREE));
  const { transform, arcs, objects } = JSON.parse(packageFile(`${TREE}/${folder}/countries-${detail}.json`).toString()) as Topology;
  const lines = arcs.map((line) => decoded(line, transform));
  const rings = objects.land.geometries.flatMap(({ arcs: polygons }) => polygons.flat());
  return rings
    .map((ring) =>
      clipped(
        ring.flatMap((at) => (at < 0 ? lines[~at]!.toReversed() : lines[at]!)),
        box,
      ),
    )
    .filter((ring) => areaOf(ring) > LINE_AREA);
}

/** Square degrees. */
function areaOf(ring: readonly Point[]): number {
  let [twice, before] = [0, ring.at(-1)!];
  for (const point of ring) {
    twice += before[0] * point[1] - point[0] * before[1];
    before = point;
  }
  return Math.abs(twice) / 2;
}

function decoded(line: readonly Point[], { scale, translate }: Topology['transform']): Point[] {
  let [x, y] = [0, 0];
  return line.map(([dx, dy]) => {
    [x, y] = [x + dx, y + dy];
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
  });
}

/** The part of a ring in a box, with a line along the box where the ring leaves it: Sutherland and Hodgman, one edge after the other. */
function clipped(ring: readonly Point[], { west, east, south, north }: Box): Point[] {
  const edges = [
    { axis: 0, at: west, sign: 1 },
    { axis: 0, at: east, sign: -1 },
    { axis: 1, at: south, sign: 1 },
    { axis: 1, at: north, sign: -1 },
  ] as const;
  return edges.reduce<readonly Point[]>((points, { axis, at, sign }) => {
    const inside: Point[] = [];
    let before = points.at(-1)!;
    for (const point of points) {
      const isIn = sign * (point[axis] - at) >= 0;
      if (isIn !== sign * (before[axis] - at) >= 0) {
        const part = (at - before[axis]) / (point[axis] - before[axis]);
        inside.push([before[0] + part * (point[0] - before[0]), before[1] + part * (point[1] - before[1])]);
      }
      if (isIn) inside.push(point);
      before = point;
    }
    return inside;
  }, ring) as Point[];
}
