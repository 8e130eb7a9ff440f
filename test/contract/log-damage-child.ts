// Damages copies of a log at random, and uses each as a service would: arguments FOLDER SEED TRIALS. FOLDER/good is an intact log. A separate process,
// because LMDB could end it with a signal. Prints broken rules as JSON; exit status 0 without any.
import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { repairLog } from '../../pipeline/log/lmdb/repair.ts';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { type TopicId, topicIds } from '../../schemas/topics.ts';

const [folder, seedText, trialsText] = process.argv.slice(2) as [string, string, string];
const path = join(folder, 'log');

const random = new Random(Number(seedText));

/** Changes one file; returns a description. */
function damage(): string {
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(path, name)).isFile());
  const sound = files.filter((name) => !name.endsWith('lock.mdb')).sort();
  const name = random.below(3) === 0 && sound.includes('index/data.mdb') ? 'index/data.mdb' : sound[random.below(sound.length)]!;
  const file = join(path, name);
  const bytes = readFileSync(file);
  const at = random.below(Math.max(1, bytes.length));
  const length = 1 + random.below(5000);
  const kinds: (() => string)[] = [
    () => {
      bytes[at]! ^= 1 << random.below(8);
      writeFileSync(file, bytes);
      return `a bit of ${name} at ${at}`;
    },
    () => {
      writeFileSync(file, bytes.fill(random.below(2) === 0 ? 0 : 0xa5, at, Math.min(bytes.length, at + length)));
      return `${length} bytes of ${name} at ${at}`;
    },
    () => {
      truncateSync(file, at);
      return `${name} cut at ${at}`;
    },
    () => {
      rmSync(file);
      return `${name} removed`;
    },
  ];
  return kinds[random.below(8) < 5 ? 0 : random.below(kinds.length)]!();
}

/** A value begins with the number of its record, which determines the other bytes. */
function isWhole(value: Buffer, offset: number, topic: TopicId): boolean {
  const i = value.readUInt32LE(0);
  if (topic === 'frames' && i !== offset) return false;
  return value.length === 200 + ((i * 7919) % 1500) && value.subarray(4).every((byte) => byte === (i & 0xff));
}

/** The broken rule, or null. */
async function use(): Promise<string | null> {
  try {
    const log = await openLmdbLog({ path, mode: 'write' });
    try {
      for (const topic of topicIds)
        for (let partition = 0; partition < log.partitions(topic); partition += 1)
          for await (const { records } of log.read({ topic, partition, from: 'earliest', to: 'end' }))
            for (const { value, offset } of records)
              if (value !== null && !isWhole(Buffer.from(value), offset, topic)) return `a wrong record ${offset} of ${topic}`;
    } finally {
      await log.close();
    }
  } catch (error) {
    if (!(error instanceof SquitterError)) return `no error of the catalogue: ${(error as Error).stack}`;
  }
  return null;
}

function segmentsKept(): Set<string> {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => /\.seg(\.\d+)?$/.test(name));
  return new Set(names.map((name) => readFileSync(join(path, name)).toString('latin1')));
}

const quiet = { onProgress: () => {}, signal: new AbortController().signal };
const repair = (nowMs: number) => repairLog(path, { ...quiet, nowMs, discards: false }).then(() => null, String);
const open = () =>
  openLmdbLog({ path, mode: 'write' }).then(
    (log) => log.close().then(() => null),
    (error) => `not repaired: ${error}`,
  );
const broken: string[] = [];
for (let trial = 0; trial < Number(trialsText); trial += 1) {
  rmSync(path, { recursive: true, force: true });
  cpSync(join(folder, 'good'), path, { recursive: true });
  const damages = Array.from({ length: 1 + random.below(2) }, damage).join(', ');
  process.stderr.write(`${trial}: ${damages}\n`);
  const before = segmentsKept();
  const faults = [await use(), await repair(trial), await use(), await open()];
  const after = segmentsKept();
  for (const bytes of before) if (!after.has(bytes)) faults.push(`${bytes.length} bytes are deleted`);
  broken.push(...faults.filter((fault) => fault !== null).map((fault) => `${trial}: ${damages}: ${fault}`));
}
process.stdout.write(JSON.stringify(broken));
process.exitCode = broken.length === 0 ? 0 : 1;
