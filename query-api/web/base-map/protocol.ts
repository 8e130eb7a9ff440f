// MapLibre's worker, with one protocol more: it reads the topology of a level once and gives land or borders of it as GeoJSON, so that the page never parses
// coasts.
import 'maplibre-gl-worker';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { planar } from './planar.ts';

type World = Topology<{ land: GeometryCollection; countries: GeometryCollection }>;
interface MapWorker {
  addProtocol(name: string, load: (request: { readonly url: string }) => Promise<{ data: unknown }>): void;
}

/** `base://countries-50m/land` and `/borders`. */
function register(worker: MapWorker): void {
  const topologies = new Map<string, Promise<World>>();
  worker.addProtocol('base', async ({ url }) => {
    const [, file, part] = /^base:\/\/([\w-]+)\/(\w+)$/.exec(url) ?? [];
    if (file === undefined) throw new Error(`${url} is no part of the base map`);
    let topology = topologies.get(file);
    if (topology === undefined) {
      topology = fetch(new URL(`./${file}.json`, import.meta.url)).then((response) => response.json());
      topologies.set(file, topology);
      topology.catch(() => topologies.delete(file));
    }
    const world = await topology;
    const { land, countries } = world.objects;
    return {
      data: {
        type: 'Feature',
        properties: {},
        geometry: part === 'land' ? landOf(world, land) : mesh(world, countries, (a, b) => a !== b),
      },
    };
  });
}

/** All land as one geometry. */
function landOf(world: World, land: GeometryCollection): GeoJSON.MultiPolygon {
  const coordinates = feature(world, land).features.flatMap(({ geometry }) => (geometry as GeoJSON.MultiPolygon).coordinates);
  return { type: 'MultiPolygon', coordinates: coordinates.map((polygon) => polygon.map(planar)) };
}

register(self as unknown as MapWorker);
