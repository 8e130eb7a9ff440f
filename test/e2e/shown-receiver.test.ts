// The receiver location: in /data/receiver.json only if the operator gives it and publishes it.
import { afterAll, expect, it } from 'vitest';
import { startService, temporaryFolder } from '../support/service.ts';

const folder = temporaryFolder();
afterAll(folder.remove);

it.each([
  [['--receiver', '51.99,4.37', '--show-receiver'], { lat: 51.99, lon: 4.37 }],
  [['--receiver', '51.99,4.37'], {}],
] as const)('%j', { timeout: 60_000 }, async (flags, shown) => {
  const service = await startService(folder.path, ['--simulate', '3', ...flags]);
  const { lat, lon } = (await (await service.get('/data/receiver.json')).json()) as { lat?: number; lon?: number };
  expect(lat === undefined ? {} : { lat, lon }).toEqual(shown);
  expect(await service.stop()).toBe(0);
});
