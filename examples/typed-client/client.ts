// Calls the API with types generated from its contract. From a folder with npm:
//   npm install openapi-fetch && npm install --save-dev typescript@5 openapi-typescript
//   npx openapi-typescript http://127.0.0.1:8080/openapi.json -o openapi.d.ts
import createClient from 'openapi-fetch';
import type { components, paths } from './openapi.d.ts';

type Aircraft = components['schemas']['Aircraft'];

const baseUrl = process.argv[2] ?? 'http://127.0.0.1:8080';
const api = createClient<paths>({ baseUrl });

const stats = await api.GET('/v2/stats');
console.log(`${stats.data?.aircraft_count} aircraft`);

const everything = await api.GET('/v2/all', { params: { query: { min_altitude: 20_000 } } });
const highest = (everything.data?.ac ?? []).map(altitudeFt).reduce((a, b) => Math.max(a, b), 0);
console.log(`the highest at ${highest} ft`);

const nearest = await api.GET('/v2/aircraft/nearest', { params: { query: { lat: 52.31, lon: 4.76, limit: 3 } } });
for (const { hex, dst, dir } of nearest.data?.ac ?? []) console.log(`${hex} ${dst} nm ${dir}°`);

const wrong = await api.GET('/v2/hex/{hex}', { params: { path: { hex: 'nonsense' } } });
console.log(`${wrong.error?.code}: ${wrong.error?.detail}`);

/** On the ground `alt_baro` is a string. */
function altitudeFt({ alt_baro }: Aircraft): number {
  return typeof alt_baro === 'number' ? alt_baro : 0;
}
