// A child process for the EventLog contract: writes or reads, and prints what was acknowledged.
// Arguments: ADAPTER TARGET JOB. TARGET is the folder of the log for `lmdb`, options of `openKafkaLog` as JSON for `kafka`.
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { type KafkaLogOptions, openKafkaLog } from '../../pipeline/log/kafka/kafka-log.ts';
import { openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';

const [adapter, target, job] = process.argv.slice(2) as [string, string, string];

function open(mode: 'write' | 'read'): Promise<EventLog> {
  if (adapter === 'kafka') return openKafkaLog(JSON.parse(target) as KafkaLogOptions);
  if (adapter !== 'lmdb') throw new Error(`expected the adapter lmdb or kafka, got ${adapter}`);
  return openLmdbLog({ path: target, mode, maintenanceIntervalMs: mode === 'write' ? 20 : 0 });
}

const print = (line: string) => process.stdout.write(`${line}\n`);

/** The value of record i: its number, then bytes unique to it. Lengths vary widely. */
function numberedValue(i: number): Buffer {
  const value = Buffer.alloc(8 + ((i * 7919) % 3) * ((i * 104_729) % 30_000), i & 0xff);
  value.writeUInt32LE(i, 0);
  value.writeUInt32LE(value.length, 4);
  return value;
}

/** Appends to frames/0 and commits, one position and two aircraft states per input record; prints `a N` and `c N` once acknowledged. */
async function write(): Promise<void> {
  const log = await open('write');
  const position = (await log.committed('child', 'frames', 0)) ?? 0;
  let appended = (await log.bounds('frames', 0)).next;
  print(`ready ${appended} ${position}`);
  const append = async () => {
    for (;;) {
      const first = appended;
      const count = 1 + (first % 5);
      await log.append(
        'frames',
        0,
        Array.from({ length: count }, (_, i) => ({ key: null, value: numberedValue(first + i), timestampMs: first + i })),
      );
      appended += count;
      print(`a ${appended}`);
    }
  };
  const commit = async () => {
    for (let at = position; ; ) {
      while (at >= appended) await new Promise((resolve) => setTimeout(resolve, 1));
      const next = Math.min(appended, at + 3);
      const numbers = Array.from({ length: next - at }, (_, i) => at + i);
      await log.commit({
        group: 'child',
        topic: 'frames',
        partition: 0,
        fromOffset: at,
        nextOffset: next,
        outputs: [
          { topic: 'positions', partition: 0, records: numbers.map((n) => ({ key: null, value: numberedValue(n), timestampMs: n })) },
          {
            topic: 'aircraft',
            partition: 0,
            records: numbers.map((n) => ({ key: `k${n % 20}`, value: Buffer.from(String(n)), timestampMs: n })),
          },
        ],
      });
      at = next;
      print(`c ${at}`);
    }
  };
  await Promise.all([append(), commit()]);
}

/** Follows frames/0 and prints the value of each record. */
async function follow(): Promise<void> {
  const log = await open('read');
  print('ready');
  for await (const batch of log.read({ topic: 'frames', partition: 0, from: 'earliest', to: 'follow' })) {
    for (const { value } of batch.records) print(Buffer.from(value!).toString());
  }
}

/** Tries to write; prints the code of the error or `opened`. */
async function attempt(): Promise<void> {
  try {
    const log = await open('write');
    print('opened');
    await log.close();
  } catch (error) {
    print(`${(error as { code?: string }).code} ${(error as Error).message}`);
  }
}

const jobs: Record<string, () => Promise<void>> = { write, follow, attempt };
await jobs[job]!();
