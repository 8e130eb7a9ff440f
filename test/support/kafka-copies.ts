// Shared by fault tests on Kafka: numbered records that are appended to both partitions, members in child processes that copy them,
// and the check that each was copied once, in order.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import type { KafkaLogOptions } from '../../pipeline/log/kafka/kafka-log.ts';
import { range, readAll, record, valuesOf, whole } from '../contract/event-log-support.ts';
import { builtProgram, TestProgram } from './service.ts';
import { until } from './until.ts';

export const FAULT_SEED = Number(process.env['SQUITTER_FAULT_SEED'] ?? Date.now() % 1_000_000);
/** Other load on the machine can make everything ten times slower. */
export const PATIENCE_MS = 60_000;

const FEED_PAUSE_MS = 10;

/** Starts a member of the group of copiers, which prints a line for each event. */
export function startCopier(options: KafkaLogOptions): TestProgram {
  return new TestProgram([process.execPath, builtProgram('modules/test/support/kafka-member'), JSON.stringify(options)]);
}

export const linesOf = (copier: TestProgram, event: string): string[] =>
  copier
    .output()
    .split('\n')
    .filter((line) => line.startsWith(event));

/** Appends numbers to each partition until stopped; returns their count per partition. Rejects when an append does. */
export async function feedNumbers(log: EventLog, signal: AbortSignal): Promise<number> {
  const partitions = range(log.partitions('frames'));
  for (let count = 0; ; count += 1) {
    if (signal.aborted) return count;
    await Promise.all(partitions.map((partition) => log.append('frames', partition, [record(null, `${partition}/${count}`, Date.now())])));
    await sleep(FEED_PAUSE_MS);
  }
}

/** Waits for the copies and expects none lost, duplicated or out of order. */
export async function expectCopies(log: EventLog, count: number): Promise<void> {
  const partitions = range(log.partitions('frames'));
  const copies = async (partition: number) => valuesOf(await readAll(log, whole('positions', partition)));
  const isWhole = async (): Promise<boolean> =>
    (await Promise.all(partitions.map(copies))).every((values, partition) => values.at(-1) === `${partition}/${count - 1}`);
  await until(isWhole, 'all records are copied', PATIENCE_MS);
  for (const partition of partitions) {
    const expected = range(count).map((i) => `${partition}/${i}`);
    expect(valuesOf(await readAll(log, whole('frames', partition)))).toEqual(expected);
    expect(await copies(partition)).toEqual(expected);
  }
}
