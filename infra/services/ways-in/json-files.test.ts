// `--write-json`: files are the bytes of the routes, whole at any time, and a folder that fails is counted and survived.
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MapFiles } from '../../../query-api/queries/maps/map-files.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { NOW_MS } from '../../../test/support/full-state.ts';
import { createTestApi, type TestApi, testModel } from '../../../test/support/live-view.ts';
import { createSmallDisk, smallDisks } from '../../../test/support/small-disk.ts';
import { type Closer, closeAll } from '../closing.ts';
import { startJsonFiles } from './json-files.ts';

const disks = smallDisks();
const lines: string[] = [];
const logger = pino({}, { write: (line) => lines.push(line) });
let folder: string;
let registry: Registry;
let maps: MapFiles;
let api: TestApi;
let closers: Closer[];
let writer: Awaited<ReturnType<typeof startJsonFiles>>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'json-files-'));
  registry = new Registry();
  maps = new MapFiles({ lat: 50, lon: 8 });
  api = await createTestApi(5, { maps });
  closers = [];
  lines.length = 0;
});
afterEach(async () => {
  await closeAll(closers, logger);
  await api.app.close();
  rmSync(folder, { recursive: true, force: true });
});

const start = async (metrics = registry): Promise<void> => {
  writer = await startJsonFiles(folder, { model: testModel(api.view, { maps }), registry: metrics, logger }, closers);
};
const text = (name: string): string => readFileSync(join(folder, name), 'utf8');
const served = async (path: string): Promise<string> => (await api.app.inject(path)).body;

async function value(name: string): Promise<number> {
  return Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (.*)$`, 'm').exec(await registry.metrics())?.[1]);
}

/** A tick, and all that is written at it. */
async function tick(second: number): Promise<void> {
  const nowMs = NOW_MS + second * 1000;
  api.view.clockMs = nowMs + 300;
  const snapshot = api.view.builder.build(nowMs, 4242);
  maps.note(snapshot);
  await maps.history.settled();
  api.view.tick(nowMs);
  await writer!.settled();
}

it('writes what the routes serve, aircraft each second, the rest each ten', async () => {
  await start();
  chmodSync(folder, 0o755);
  const umask = process.umask(0o077);
  await tick(0);
  process.umask(umask);
  expect(text('aircraft.json')).toBe(await served('/data/aircraft.json'));
  expect(statSync(join(folder, 'aircraft.json')).mode & 0o777).toBe(0o644);
  expect(JSON.parse(text('receiver.json'))).toMatchObject({ readsb: true, lat: 50, history: 1 });
  expect(JSON.parse(text('receiver.json'))).not.toHaveProperty('haveTraces');
  expect(existsSync(join(folder, 'stats.json'))).toBe(false);
  await tick(limits.jsonFolderSlowMs / 1000);
  expect(text('stats.json')).toBe(await served('/data/stats.json'));
  expect(text('outline.json')).toBe(await served('/data/outline.json'));
  expect(text('history_0.json')).toBe(await served('/data/history_0.json'));
  expect(await value('squitter_output_files_total')).toBe(7);
});

it('removes what a killed process left, follows no link, and gives the folder back; refuses one that cannot be used', async () => {
  const outside = `${folder}-outside`;
  writeFileSync(join(folder, '.stats.json.squitter-part'), 'half');
  writeFileSync(join(folder, '.squitter.lock'), '{"pid":999999999}');
  symlinkSync(outside, join(folder, 'aircraft.json'));
  await start();
  await expect(start(new Registry())).rejects.toMatchObject({ code: 'map.json_folder_in_use' });
  const none = startJsonFiles(join(folder, 'none'), { model: testModel(api.view), registry: new Registry(), logger }, closers);
  await expect(none).rejects.toMatchObject({ code: 'map.json_folder_unusable' });
  symlinkSync(outside, join(folder, '.receiver.json.squitter-part'));
  await tick(0);
  await tick(1);
  expect(existsSync(outside)).toBe(false);
  await closeAll(closers.splice(0), logger);
  expect(readdirSync(folder).sort()).toEqual(['aircraft.json', 'history_0.json', 'receiver.json']);
});

it.skipIf(!disks.met)(`counts a full disk, logs it once, and continues when it has room ${disks.reason}`, async () => {
  const disk = await createSmallDisk(1);
  rmSync(folder, { recursive: true });
  folder = disk.path;
  try {
    await start();
    await tick(0);
    const before = text('aircraft.json');
    disk.fill(0);
    for (const second of [1, 2]) await tick(second);
    expect(await value('squitter_output_files_failed_total{reason="no_space"}')).toBe(2);
    expect(lines.filter((line) => line.includes('cannot be written'))).toHaveLength(1);
    expect(text('aircraft.json')).toBe(before);
    disk.clear();
    await tick(3);
    expect(text('aircraft.json')).toBe(await served('/data/aircraft.json'));
    await closeAll(closers.splice(0), logger);
  } finally {
    disk.remove();
  }
});
