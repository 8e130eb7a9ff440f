// Ends its process with SIGKILL at a named point of the log's work. Tests load it in front of a service, in every thread: it
// wraps methods of the log's classes. The journal has an acknowledgement of the log before the service continues.
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { KafkaLog } from '../../pipeline/log/kafka/kafka-log.ts';
import { KafkaWriteRequests } from '../../pipeline/log/kafka/produce/write-requests.ts';
import { LmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { LogWriter } from '../../pipeline/log/lmdb/writer.ts';
import type { OutgoingRecord } from '../../pipeline/log/record-block.ts';
import { topics } from '../../schemas/topics.ts';
import type { KillPoint } from './kill-journal.ts';

// biome-ignore lint/suspicious/noExplicitAny: methods of any class, private ones too.
type Method = (...given: any[]) => Promise<any>;

const { KILL_JOURNAL: journal = '', KILL_POINT: point = '', KILL_COUNT: count = '1' } = process.env;
const HASH_DIGITS = 16;
let passed = 0;

function pass(here: KillPoint): void {
  if (here !== point) return;
  passed += 1;
  if (passed !== Number(count)) return;
  appendFileSync(journal, `hit ${here}\n`);
  process.kill(process.pid, 'SIGKILL');
  // The signal may arrive a moment later.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Replaces a method by one that gets the original, bound. */
function wrap(prototype: object, name: string, around: (original: Method, given: Parameters<Method>) => Promise<unknown>): void {
  const methods = prototype as Record<string, Method>;
  const original = methods[name]!;
  methods[name] = function wrapped(this: unknown, ...given) {
    return around((...changed) => original.apply(this, changed), given);
  };
}

const hashOf = ({ value }: OutgoingRecord): string =>
  createHash('sha256')
    .update(value ?? '')
    .digest('hex')
    .slice(0, HASH_DIGITS);

for (const { prototype } of [LmdbLog, KafkaLog]) {
  wrap(prototype, 'append', async (original, given) => {
    const [topic, partition, records] = given as [string, number, readonly OutgoingRecord[]];
    if (topic !== 'frames') return original(...given);
    pass('append: not begun');
    // Before the call: the memory of the values is used again.
    const hashes = records.map(hashOf);
    const last = (await original(...given)) as number;
    appendFileSync(journal, `acknowledged ${partition} ${last} ${hashes.join(',')}\n`);
    pass('append: acknowledged');
    return last;
  });
  wrap(prototype, 'commit', async (original, given) => {
    pass('commit: not begun');
    await original(...given);
    pass('commit: acknowledged');
  });
}
wrap(LogWriter.prototype, 'prepare', async (original, given) => {
  const prepared: unknown = await original(...given);
  const [operations] = given as [readonly { readonly commit: unknown; readonly outputs: readonly { readonly topic: string }[] }[]];
  if (operations.some(({ commit, outputs }) => commit === null && outputs.some(({ topic }) => topic === 'frames'))) pass('append: written');
  if (operations.some(({ commit }) => commit !== null)) pass('commit: written');
  return prepared;
});
wrap(KafkaWriteRequests.prototype, 'produce', async (original, given) => {
  const baseOffset: unknown = await original(...given);
  const [{ transactionalId }, { topic }] = given as [{ transactionalId: string | null }, { topic: string }];
  if (transactionalId === null && topic.endsWith(topics.frames.name)) pass('append: written');
  return baseOffset;
});
wrap(KafkaWriteRequests.prototype, 'commit', async (original, given) => {
  pass('commit: written');
  return original(...given);
});
