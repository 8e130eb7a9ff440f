// Files of the page of the map besides aircraft: settings, airports, runways, layers of the operator.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { handReference } from '../../test/support/hand-reference.ts';
import { createTestApi } from '../../test/support/live-view.ts';
import { MapLayers } from './files/map-layers.ts';

const folder = mkdtempSync(join(tmpdir(), 'squitter-layers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const POINT = { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [4, 52] } };
const runway = { airport: 'EHAM', name: '04/22', widthFt: 0, fromLatDeg: 52.300_412_3, fromLonDeg: 4.78, toLatDeg: 52.31, toLonDeg: 4.8 };

test('layers of a folder, without what is damaged, and tiles of one host', async () => {
  const files = {
    'air-space.geojson': {
      type: 'FeatureCollection',
      features: [POINT],
      squitter: { title: 'Airspace', colour: '#aa0000', width: 2, fill: 'url(x)' },
    },
    'sites.json': POINT,
    'no features.json': POINT,
    'list.json': [],
    'shape.json': { ...POINT, geometry: { type: 'Circle' } },
  };
  for (const [name, value] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(value));
  writeFileSync(join(folder, 'cut.json'), '{"type":');
  const leftOut: string[] = [];
  const layers = new MapLayers(folder, (path) => leftOut.push(path.slice(folder.length + 1)));
  const tiles = { url: 'https://tiles.example.org/{z}/{x}/{y}.png', attribution: 'Somebody' };
  const { app } = await createTestApi(1, { map: { tiles, layers } });
  const settings = await app.inject('/map/settings.json');
  expect(settings.json()).toEqual({
    ...{ tiles, receiver: null, hasHistory: false },
    layers: [
      { name: 'air-space', title: 'Airspace', style: { colour: '#aa0000', width: 2 } },
      { name: 'sites', title: 'sites', style: {} },
    ],
  });
  expect(leftOut.sort()).toEqual(['cut.json', 'list.json', 'no features.json', 'shape.json']);
  expect((await app.inject('/map/layers/sites.geojson')).json()).toEqual(POINT);
  for (const name of ['cut', 'other', '..%2Fsites']) expect((await app.inject(`/map/layers/${name}.geojson`)).statusCode).toBe(404);
  const policy = String((await app.inject('/')).headers['content-security-policy']);
  expect(policy).toContain("connect-src 'self' https://tiles.example.org;");
  expect(policy).toContain("img-src 'self' data: https://tiles.example.org");
});

test('airports by size and runways, with a tag that lasts as long as the reference data', async () => {
  const reference = Object.assign(handReference(), { runways: () => [runway] });
  const { app } = await createTestApi(1, { reference });
  const small = await app.inject('/map/airports-small.json');
  expect(small.json().features).toEqual([
    { type: 'Feature', geometry: { type: 'Point', coordinates: [5.1469, 52.1919] }, properties: { code: 'EHHV', name: 'Hilversum' } },
  ]);
  const headers = { 'if-none-match': String(small.headers['etag']) };
  expect((await app.inject({ url: '/map/airports-small.json', headers })).statusCode).toBe(304);
  expect((await app.inject('/map/runways.json')).json().features[0].geometry.coordinates).toEqual([
    [4.78, 52.300_41],
    [4.8, 52.31],
  ]);
  const policy = String((await app.inject('/')).headers['content-security-policy']);
  expect(policy).toContain("connect-src 'self';");
});
