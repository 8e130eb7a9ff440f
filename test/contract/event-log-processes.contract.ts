// Contract of EventLog across processes: readers in other processes, one writer, and `kill -9` of a writer at any moment.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { until } from '../support/until.ts';
import { type CaseContext, range, readAll, record, whole } from './event-log-support.ts';

const KILLS = 8;
const KILL_MS_MAX = 250;

interface Child {
  readonly process: ChildProcess;
  readonly lines: string[];
  readonly exited: Promise<void>;
}

function start(command: readonly string[], job: string): Child {
  const [program, ...args] = command as [string, ...string[]];
  const child = spawn(program, [...args, job], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  const exited = Promise.all([
    new Promise((resolve) => reader.on('close', resolve)),
    new Promise((resolve) => child.on('exit', resolve)),
  ]).then(() => undefined);
  return { process: child, lines, exited };
}

export function processCases({ log, check, harness }: CaseContext): void {
  check('a reader in another process follows', async () => {
    const child = start(harness.childCommand(), 'follow');
    try {
      await until(() => child.lines[0] === 'ready', 'the child is ready');
      for (const i of range(30)) await log().append('frames', 0, [record(null, `v${i}`.repeat(1 + i * 50))]);
      await until(() => child.lines.length === 31, 'the child has read all');
      expect(child.lines.slice(1)).toEqual(range(30).map((i) => `v${i}`.repeat(1 + i * 50)));
    } finally {
      child.process.kill('SIGKILL');
      await child.exited;
    }
  });

  check(
    `a second writing process ${harness.writers === 'any' ? 'may open the log while the first runs' : 'is refused, until the first has closed the log'}`,
    async () => {
      const attempt = async (): Promise<string[]> => {
        const child = start(harness.childCommand(), 'attempt');
        await child.exited;
        return child.lines;
      };
      if (harness.writers === 'one') {
        const [refusal] = await attempt();
        expect(refusal).toContain('log.in_use');
        expect(refusal).toContain(`process ${process.pid}`);
        await log().close();
      }
      expect(await attempt()).toEqual(['opened']);
    },
  );

  check('kill -9 of a writer loses nothing that was acknowledged and leaves nothing half-written', async () => {
    await log().close();
    // Another process has the log open all the time: locks of a killed writer must be released for it as well.
    const watcher = await harness.openReader();
    for (const round of range(KILLS)) {
      const child = start(harness.childCommand(), 'write');
      await until(() => child.lines.length > 3, 'the child writes');
      // Spread over the commit cycle; not random, so that a failure is reproducible.
      await new Promise((resolve) => setTimeout(resolve, (round * 61.7) % KILL_MS_MAX));
      child.process.kill('SIGKILL');
      await child.exited;
      const again = await harness.open();
      await checkAfterKill(again, child.lines);
      await again.close();
      expect((await watcher.bounds('frames', 0)).next).toBeGreaterThan(0);
    }
  });
}

const lastNumber = (lines: readonly string[], mark: string): number =>
  lines.reduce((last, line) => (line.startsWith(`${mark} `) ? Number(line.slice(2)) : last), 0);

async function checkAfterKill(log: EventLog, lines: readonly string[]): Promise<void> {
  const frames = await readAll(log, whole('frames'));
  expect(frames.length).toBeGreaterThanOrEqual(lastNumber(lines, 'a'));
  expectNumbers(frames);
  const committed = (await log.committed('child', 'frames', 0)) ?? 0;
  expect(committed).toBeGreaterThanOrEqual(lastNumber(lines, 'c'));
  // Outputs and offset are atomic: one position for each frame below the offset, none beyond. Kafka shows the parts of a commit one after the other:
  // a successor opens its transactions first, and so waits until all parts are visible.
  const positions = await until(async () => {
    const found = await readAll(log, whole('positions'));
    return found.length >= committed && found;
  }, `the outputs of ${committed} frames`);
  expect(positions.length).toBe(committed);
  expectNumbers(positions);
  await until(async () => {
    const latest = new Map<string, number>();
    for (const { key, value } of await readAll(log, whole('aircraft'))) latest.set(key!, Number(Buffer.from(value!).toString()));
    return range(committed)
      .slice(-20)
      .every((n) => latest.get(`k${n % 20}`) === n);
  }, `the states of ${committed} frames`);
}

/** The values are the complete ones that the child makes for 0, 1, 2 … */
function expectNumbers(records: readonly { readonly value: Uint8Array | null }[]): void {
  records.forEach(({ value }, i) => {
    const bytes = value as Buffer;
    if (bytes.readUInt32LE(0) !== i || bytes.readUInt32LE(4) !== bytes.length || (bytes.length > 8 && bytes.at(-1) !== (i & 0xff)))
      throw new Error(`record ${i} is not what was written`);
  });
}
