// A damaged data folder on the command line: nothing is deleted, the service refuses a damaged index and continues around damaged records, and
// `log repair` gives a log with an equal audit.
import { spawn } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressPartition } from '../../pipeline/ingest/partition.ts';
import { headOfFile } from '../../pipeline/log/lmdb/segment-files.ts';
import { segmentFilesIn } from '../../pipeline/log/lmdb/segment-names.ts';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import { type TopicId, topicIds, topics } from '../../schemas/topics.ts';
import { freePortFlags } from '../support/free-port-flags.ts';
import { squitter, squitterBin, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder();
const good = join(folder.path, 'good');
const data = join(folder.path, 'data');
const segments = () => readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.seg')).length;

beforeAll(async () => {
  const service = await startService(good, ['--simulate', '50']);
  await sleep(5000);
  expect(await service.stop()).toBe(0);
});
afterAll(folder.remove);

function damage(how: () => void): void {
  rmSync(data, { recursive: true, force: true });
  cpSync(good, data, { recursive: true });
  how();
}

const run = (...args: string[]) => squitter([...args, '--data', data]);

describe('a damaged data folder', () => {
  test('whose index is gone or empty is refused, and repaired from its segments', async () => {
    for (const how of [
      () => rmSync(join(data, 'log/index'), { recursive: true }),
      () => truncateSync(join(data, 'log/index/data.mdb'), 0),
    ]) {
      damage(how);
      const before = segments();
      expect(before).toBeGreaterThan(5);
      for (const command of [['start', ...freePortFlags], ['audit']]) {
        const { code, stderr } = await run(...command);
        expect([code, segments()], stderr).toEqual([1, before]);
        expect(stderr).toMatch(/^squitter: .*squitter log repair.*\[log\.damaged\]$/m);
        expect(stderr).not.toMatch(/\n\s+at /);
      }
      expect((await run('log', 'check')).code).toBe(1);
    }
    const repair = await run('log', 'repair');
    expect([repair.code, repair.stdout], repair.stderr).toEqual([
      0,
      expect.stringMatching(/starts again at offset 0 of frames\/1[\s\S]*log: repaired\n$/),
    ]);
    const service = await startService(data, ['--no-simulation']);
    expect(await service.stop()).toBe(0);
    expect((await run('log', 'check')).stdout).toMatch(/^log: whole: /m);
    const audit = await run('audit');
    expect([audit.code, audit.stdout], audit.stderr).toEqual([0, expect.stringMatching(/^audit: equal: [1-9]/m)]);
  });

  test.each([1])(
    'inside its segments (seed %i): what needs the records waits, the rest continues, and `log repair` ends it',
    async (seed) => {
      const harmed = seed % 2;
      const sound = 1 - harmed;
      damage(() => {
        for (const topic of topicIds) harm(topic, harmed, seed);
      });
      const service = await startHarmed();
      // The fold of the other partition continues, and its aircraft are listed.
      const partitionOf = ({ hex }: Listed) => addressPartition(Number.parseInt(hex, 16), 2);
      const live = await until(
        async () => {
          const aircraft = (await service.list()).filter(({ hex, seen }) => seen < 5 && !hex.startsWith('~'));
          return aircraft.length > 0 && aircraft.every((each) => partitionOf(each) === sound);
        },
        'the aircraft that are live are those of the intact partition',
        60_000,
      );
      expect(live).toBe(true);
      const notReady = await service.get('/readyz');
      expect([notReady.status, await notReady.text()]).toEqual([
        503,
        expect.stringMatching(/the log is damaged: \w+\/\d offsets? \d[^"]*, and \d+ more: .*run `squitter log repair`/),
      ]);
      expect(await (await service.get('/metrics')).text()).toMatch(/^squitter_log_damage_total{kind="batch"} [1-9]/m);
      expect(await service.stop(), service.output()).toBe(0);
      expect(service.output()).not.toMatch(/\n\s+at .+:\d+:\d+/);

      const audit = await run('audit');
      expect([audit.code, audit.stderr]).toEqual([
        1,
        expect.stringMatching(/^squitter: the log .* is damaged: \w+\/\d offset.*\[log\.damaged\]$/m),
      ]);
      expect((await run('log', 'mend')).code).toBe(2);
      expect((await run('log', 'repair')).code).toBe(0);
      expect((await run('log', 'check')).stdout).toMatch(/^log: whole: /m);
    },
    180_000,
  );
});

interface Listed {
  readonly hex: string;
  readonly seen: number;
}

/** Flips bits of a segment, overwrites a part of it with zeros, or cuts it off. Snapshots are always harmed, which holds the fold. */
function harm(topic: TopicId, partition: number, seed: number): void {
  const log = join(data, 'log');
  const file = segmentFilesIn(log).find((each) => {
    const head = headOfFile(log, each);
    return head?.topic === topic && (head.partition === partition || topics[topic].partitions !== 'frames') && each.bytes > 400;
  });
  if (file === undefined) return;
  const path = join(log, 'segments', file.name);
  const bytes = readFileSync(path);
  const random = new Random(seed, topicIds.indexOf(topic));
  const at = 100 + random.below(bytes.length - 200);
  const kind = random.below(3);
  if (kind === 0) for (let i = 0; i < 20; i += 1) bytes[100 + random.below(bytes.length - 100)]! ^= 1 << random.below(8);
  else bytes.fill(0, at, Math.min(bytes.length, at + 5000));
  writeFileSync(path, kind === 2 ? bytes.subarray(0, at) : bytes);
}

/** Like `startService`, for a service that does not become ready. */
async function startHarmed() {
  const child = spawn(process.execPath, [squitterBin, 'start', '--data', data, '--simulate', '50', '--no-history', ...freePortFlags]);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  // A failing test leaves no service behind.
  const killLeftover = (): void => void child.kill('SIGKILL');
  process.once('exit', killLeftover);
  child.once('exit', () => process.off('exit', killLeftover));
  const url = await until(
    () => child.exitCode !== null || /^Squitter starts at +(\S+)\/$/m.exec(output)?.[1],
    'the service starts',
    60_000,
  );
  if (url === true) throw new Error(`the service ended: ${output}`);
  const get = (path: string): Promise<Response> => fetch(url + path);
  return {
    get,
    output: () => output,
    async list(): Promise<Listed[]> {
      const response = await get('/v2/all');
      return response.ok ? ((await response.json()) as { ac: Listed[] }).ac : [];
    },
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
