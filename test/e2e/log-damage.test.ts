// A data folder with damaged records: the service continues around them, and `log repair` gives a whole log. A damaged index is refused and repaired in
// test/contract/log-repair.test.ts and backup.test.ts.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressPartition } from '../../pipeline/ingest/partition.ts';
import { scanSegment } from '../../pipeline/log/lmdb/scan.ts';
import { segmentFilesIn } from '../../pipeline/log/lmdb/segment-names.ts';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import { type TopicId, topicIds, topics } from '../../schemas/topics.ts';
import { freePortFlags } from '../support/free-port-flags.ts';
import { squitter, squitterBin, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const SEED = 1;
const folder = temporaryFolder();
const data = join(folder.path, 'data');
const run = (...args: string[]) => squitter([...args, '--data', data]);
beforeAll(async () => {
  const service = await startService(data, ['--simulate', '50']);
  await sleep(5000);
  expect(await service.stop()).toBe(0);
});
afterAll(folder.remove);

describe('a damaged data folder', () => {
  test('inside its segments: what needs the records waits, the rest continues, and `log repair` ends it', {
    timeout: 180_000,
  }, async () => {
    const [sound, harmed] = [0, 1];
    for (const topic of topicIds) harm(topic, harmed);
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
  });
});

interface Listed {
  readonly hex: string;
  readonly seen: number;
}

/** Flips bits of a segment, overwrites a part of it with zeros, or cuts it off. Snapshots are always harmed, which holds the fold. */
function harm(topic: TopicId, partition: number): void {
  const log = join(data, 'log');
  const file = segmentFilesIn(log).find((each) => {
    const head = scanSegment(log, each).head;
    return head?.topic === topic && (head.partition === partition || topics[topic].partitions !== 'frames') && each.bytes > 400;
  });
  if (file === undefined) return;
  const path = join(log, 'segments', file.name);
  const bytes = readFileSync(path);
  const random = new Random(SEED, topicIds.indexOf(topic));
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
