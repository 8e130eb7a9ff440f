// Cities by the beginning of their name, from the file of the base map, which is loaded with the first search.
import type { City } from './picture.ts';

const FOUND_MAX = 3;
const CHARACTERS_MIN = 3;
/** The form that people type, without accents. */
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase();

/** The search finds the largest first; none while the file cannot be loaded. */
export function openCities(url: URL): (query: string) => Promise<City[]> {
  let cities: Promise<readonly City[]> | null = null;
  return async (query) => {
    if (query.length < CHARACTERS_MIN) return [];
    cities ??= load(url);
    const all = await cities.catch(() => {
      cities = null;
      return [];
    });
    const text = plain(query);
    return all.filter(({ name }) => plain(name).startsWith(text)).slice(0, FOUND_MAX);
  };
}

async function load(url: URL): Promise<City[]> {
  const { features } = (await (await fetch(url)).json()) as GeoJSON.FeatureCollection<GeoJSON.Point, { name: string }>;
  return features.map(({ properties: { name }, geometry }) => ({ name, lon: geometry.coordinates[0]!, lat: geometry.coordinates[1]! }));
}
