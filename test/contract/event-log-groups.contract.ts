// Contract of EventLog.join: members share the partitions, hand them over in order, and never work on one at the same time.
import { expect } from 'vitest';
import type { EventLog, GroupHandler, RecordBatch } from '../../pipeline/log/event-log.ts';
import { until } from '../support/until.ts';
import { type CaseContext, range, record, valuesOf } from './event-log-support.ts';

interface Worker extends GroupHandler {
  /** Calls in order: `assigned 0 null`, `batch 0`, `revoked 0`. */
  readonly calls: string[];
  readonly owned: Set<number>;
  readonly values: Map<number, (string | null)[]>;
}

/** A worker that commits each batch; `busy` counts running calls per partition, over all workers that share it. */
function createWorker(log: EventLog, busy: Map<number, number>, group = 'workers'): Worker {
  const offsets = new Map<number, number>();
  const worker: Worker = {
    calls: [],
    owned: new Set(),
    values: new Map(),
    async assigned(partition, committed) {
      worker.calls.push(`assigned ${partition} ${committed}`);
      enter(busy, partition);
      worker.owned.add(partition);
      const from = committed ?? (await log.bounds('frames', partition)).earliest;
      offsets.set(partition, from);
      leave(busy, partition);
      return from;
    },
    async batch(batch: RecordBatch) {
      const { partition } = batch;
      expect(worker.owned.has(partition)).toBe(true);
      enter(busy, partition);
      worker.calls.push(`batch ${partition}`);
      worker.values.set(partition, [...(worker.values.get(partition) ?? []), ...valuesOf(batch.records)]);
      await new Promise((resolve) => setTimeout(resolve, 3));
      const fromOffset = offsets.get(partition)!;
      await log.commit({ group, topic: 'frames', partition, fromOffset, nextOffset: batch.nextOffset, outputs: [] });
      offsets.set(partition, batch.nextOffset);
      leave(busy, partition);
    },
    async revoked(partition) {
      enter(busy, partition);
      worker.calls.push(`revoked ${partition}`);
      worker.owned.delete(partition);
      await new Promise((resolve) => setTimeout(resolve, 3));
      leave(busy, partition);
    },
  };
  return worker;
}

function enter(busy: Map<number, number>, partition: number): void {
  const count = (busy.get(partition) ?? 0) + 1;
  busy.set(partition, count);
  expect(count).toBe(1);
}

function leave(busy: Map<number, number>, partition: number): void {
  busy.set(partition, busy.get(partition)! - 1);
}

async function appendBoth(log: EventLog, from: number, count: number): Promise<void> {
  for (const i of range(count)) {
    for (const partition of [0, 1]) await log.append('frames', partition, [record(null, `${partition}/${from + i}`)]);
  }
}

const expected = (partition: number, count: number): string[] => range(count).map((i) => `${partition}/${i}`);

export function groupCases({ log, check }: CaseContext): void {
  check(
    'a single member gets every partition, with all present and later records; the next one continues at the committed offset',
    async () => {
      const hasRead = ({ values }: Worker, count: number, what: string) =>
        until(() => values.get(0)?.length === count && values.get(1)?.length === count, what);
      await appendBoth(log(), 0, 10);
      const worker = createWorker(log(), new Map());
      const member = await log().join('workers', 'frames', worker);
      await hasRead(worker, 10, 'the member has read all');
      await appendBoth(log(), 10, 5);
      await hasRead(worker, 15, 'the member follows');
      for (const partition of [0, 1]) expect(worker.values.get(partition)).toEqual(expected(partition, 15));
      expect(member.rebalances).toBeGreaterThan(0);
      await member.leave();
      await member.done;
      expect(worker.calls.filter((call) => call.startsWith('revoked')).sort()).toEqual(['revoked 0', 'revoked 1']);
      expect(worker.calls.at(-1)).toMatch('revoked');
      await appendBoth(log(), 15, 4);
      const second = createWorker(log(), new Map());
      const again = await log().join('workers', 'frames', second);
      await hasRead(second, 4, 'the second member has read the rest');
      expect(second.values.get(0)).toEqual(expected(0, 19).slice(15));
      // Closing the log makes its members leave first.
      await log().close();
      await again.done;
      expect(second.owned.size).toBe(0);
    },
  );

  check('an error in the handler ends its member with that error', async () => {
    await appendBoth(log(), 0, 1);
    for (const method of ['assigned', 'batch', 'revoked'] as const) {
      const worker = createWorker(log(), new Map());
      const failing: GroupHandler = { ...worker, [method]: async () => Promise.reject(new Error(`broken ${method}`)) };
      const member = await log().join(`broken ${method}`, 'frames', failing);
      const outcome = expect(member.done).rejects.toThrow(`broken ${method}`);
      if (method === 'revoked') {
        await until(() => worker.owned.size === 2, 'it has both partitions');
        await member.leave();
      }
      await outcome;
    }
  });
}

/** Cases of a log that several processes write: the members of a group take over from each other. */
export function sharedGroupCases({ log, check, harness }: CaseContext): void {
  check('two members share the partitions and read each record once; one takes over when the other leaves', async () => {
    const busy = new Map<number, number>();
    const other = await harness.open();
    const workers = [createWorker(log(), busy), createWorker(other, busy)] as const;
    const first = await log().join('workers', 'frames', workers[0]);
    await appendBoth(log(), 0, 10);
    await until(() => workers[0].owned.size === 2, 'the first member has both partitions');
    const second = await other.join('workers', 'frames', workers[1]);
    await until(() => workers[0].owned.size === 1 && workers[1].owned.size === 1, 'the partitions are shared');
    await appendBoth(log(), 10, 10);
    const total = () => workers.reduce((sum, { values }) => sum + [...values.values()].reduce((n, list) => n + list.length, 0), 0);
    await until(() => total() === 40, 'both have read all');
    await first.leave();
    await until(() => workers[1].owned.size === 2, 'the second member has both partitions');
    await appendBoth(log(), 20, 5);
    await until(() => total() === 50, 'the second member has read the rest');
    for (const partition of [0, 1]) {
      const seen = workers.flatMap(({ values }) => values.get(partition) ?? []);
      expect([...seen].sort()).toEqual(expected(partition, 25).sort());
    }
    await second.leave();
  });

  check('the others take over from a member that failed', async () => {
    const busy = new Map<number, number>();
    const good = createWorker(log(), busy);
    const bad = createWorker(log(), busy);
    const failing: GroupHandler = { ...bad, batch: async () => Promise.reject(new Error('broken worker')) };
    const member = await log().join('workers', 'frames', failing);
    const outcome = expect(member.done).rejects.toThrow('broken worker');
    await until(() => bad.owned.size === 2, 'the failing member has both partitions');
    await log().join('workers', 'frames', good);
    await appendBoth(log(), 0, 5);
    await outcome;
    await until(() => good.values.get(0)?.length === 5 && good.values.get(1)?.length === 5, 'the good member has read all');
    await member.leave();
  });
}
