// Metrics of WatchAircraft: streams that a limit refuses, over a protocol that responds to them with status 200, and slow ones that are ended.

import type { AddressInfo } from 'node:net';
import { fromJson } from '@bufbuild/protobuf';
import { encodeEnvelope } from '@connectrpc/connect/protocol';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { unlimitedAccess } from '../../../query-api/access/access.ts';
import { plainCaller } from '../../../query-api/access/caller.ts';
import { createQueryApi } from '../../../query-api/http/app.ts';
import type { AircraftWatch } from '../../../query-api/rpc/watch/aircraft-watch.ts';
import { watchFilter } from '../../../query-api/rpc/watch/target.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { WatchAircraftRequestSchema } from '../../../schemas/proto/v1/aircraft_pb.ts';
import { createTestView, testModel } from '../../../test/support/live-view.ts';
import { openWatch, recordService } from './record-service.ts';

const world = (maxLat: number) => ({ box: { minLat: -90, minLon: -180, maxLat, maxLon: 180 } });
const CALLER = plainCaller('192.0.2.1');
/** A stream that takes its first message, and no other. */
async function deaf(watch: AircraftWatch, maxLat: number): Promise<void> {
  const filter = watchFilter(fromJson(WatchAircraftRequestSchema, world(maxLat)));
  await watch.watch(filter, CALLER, new AbortController().signal).next();
}

it('counts refused and ended streams', async () => {
  const view = await createTestView(limits.recordWatchAircraftMax / 10);
  const model = testModel(view);
  const registry = new Registry();
  const watch = openWatch(model, 1, registry);
  const app = createQueryApi(model, { registry, protocols: [recordService(model, watch, unlimitedAccess, pino({ level: 'silent' }))] });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const counted = async (): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => /^squitter_record_watch_(ended|refused)/.test(line));
  /** The end of the stream that a client gets over Connect. */
  const refusal = async (maxLat: number): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/v1.AircraftService/WatchAircraft`, {
      method: 'POST',
      headers: { 'content-type': 'application/connect+json' },
      body: encodeEnvelope(0, Buffer.from(JSON.stringify(world(maxLat)))),
    });
    expect(response.status).toBe(200);
    return response.text();
  };
  expect(await counted()).toEqual([
    'squitter_record_watch_ended_total 0',
    'squitter_record_watch_refused_total{code="api.too_many_streams"} 0',
    'squitter_record_watch_refused_total{code="api.too_many_watched"} 0',
  ]);

  for (let n = 0; n < 10; n += 1) await deaf(watch, 90 - n);
  expect(await refusal(80)).toContain('"resource_exhausted"');
  for (let n = 10; n < limits.recordWatchesMax; n += 1) await deaf(watch, 90);
  for (let n = 0; n < 2; n += 1) expect(await refusal(90)).toContain('"resource_exhausted"');
  view.clockMs += limits.pushBehindMsMax;
  view.tick();
  watch.check();
  expect(await counted()).toEqual([
    `squitter_record_watch_ended_total ${limits.recordWatchesMax}`,
    'squitter_record_watch_refused_total{code="api.too_many_streams"} 2',
    'squitter_record_watch_refused_total{code="api.too_many_watched"} 1',
  ]);
  await app.close();
  watch.close();
});
