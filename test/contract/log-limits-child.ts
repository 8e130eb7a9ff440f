// A child process that hits limits of its machine: arguments FOLDER JOB. Prints the result as JSON.
// `descriptors N` leaves N file descriptors; `space BALLAST` appends until the disk is full, removes BALLAST, and continues; `round MIB` appends so many MiB
// with maintenance in between.
import { closeSync, openSync, rmSync } from 'node:fs';
import { openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';

const [path, job, argument] = process.argv.slice(2) as [string, string, string];

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? String(error);
const print = (result: unknown): void => void process.stdout.write(`${JSON.stringify(result)}\n`);
const RECORD_BYTES = 5000;

function numbered(i: number, bytes: number): Buffer {
  const value = Buffer.alloc(bytes, i);
  value.writeUInt32LE(i, 0);
  return value;
}

async function readNumbers(log: Awaited<ReturnType<typeof openLmdbLog>>): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { records } of log.read({ topic: 'frames', partition: 0, from: 'earliest', to: 'end' }))
    for (const { value } of records) numbers.push((value as Buffer).readUInt32LE(0));
  return numbers;
}

async function withFewDescriptors(left: number): Promise<void> {
  const files: number[] = [];
  try {
    for (;;) files.push(openSync('/dev/null', 'r'));
  } catch {
    for (let i = 0; i < left; i += 1) closeSync(files.pop()!);
  }
  const outcomes: string[] = [];
  try {
    const log = await openLmdbLog({ path, mode: 'write' });
    outcomes.push('opened');
    outcomes.push(await readNumbers(log).then(() => 'read', codeOf));
    const append = () => log.append('frames', 0, [{ key: null, value: numbered(0, RECORD_BYTES), timestampMs: 1 }]);
    outcomes.push(await append().then(() => 'appended', codeOf));
    for (const file of files) closeSync(file);
    outcomes.push(await append().then(() => 'appended', codeOf));
    await log.close();
  } catch (error) {
    outcomes.push(codeOf(error));
  }
  print(outcomes);
}

/** Values of `bytes`: small ones fill the index, larger ones segments. */
async function untilFull(ballast: string, bytes: number): Promise<void> {
  let unhandled = 0;
  process.on('unhandledRejection', () => {
    unhandled += 1;
  });
  // No reserve: the disk itself must refuse.
  const log = await openLmdbLog({ path, mode: 'write', diskReserveBytes: 0 });
  const acknowledged: number[] = [];
  const codes = new Set<string>();
  let afterwards = 0;
  for (let i = 0; afterwards < 20; i += 1) {
    try {
      await log.append('frames', 0, [{ key: null, value: numbered(i, bytes), timestampMs: i }]);
      acknowledged.push(i);
      if (codes.size > 0) afterwards += 1;
    } catch (error) {
      codes.add(codeOf(error));
      if (i % 3 === 0) rmSync(ballast, { force: true });
    }
  }
  await log.checkpoint();
  const read = await readNumbers(log);
  await log.close();
  print({ codes: [...codes], unhandled, isWhole: JSON.stringify(read) === JSON.stringify(acknowledged) });
}

/** Writes as a service that runs for long, in all topics with a limit and two without: 8 MiB between two maintenances. */
async function roundAndRound(mebibytes: number): Promise<void> {
  const MIB = 1024 ** 2;
  // The guard looks at the disk once a second: here that is before and after each maintenance.
  const nowMs = performance.now.bind(performance);
  let skippedMs = 0;
  performance.now = () => nowMs() + skippedMs;
  const log = await openLmdbLog({ path, mode: 'write' });
  const plain = (i: number, bytes: number) => [{ key: null, value: numbered(i, bytes), timestampMs: i }];
  const keyed = (i: number, bytes: number) => [{ key: `${i % 7}`, value: numbered(i, bytes), timestampMs: i }];
  const refused = new Set<string>();
  let freeBytesMin = Number.POSITIVE_INFINITY;
  for (let i = 0; i < mebibytes * 4; i += 2) {
    for (const partition of [0, 1]) {
      const outputs = [
        log.append('frames', partition, [...plain(i, 60_000), ...plain(i, 60_000)]),
        log.append('positions', partition, plain(i, 60_000)),
        log.append(
          'aircraft',
          partition,
          [0, 1, 2, 3].flatMap((k) => keyed(i + k, 8000)),
        ),
        log.append('snapshots', partition, keyed(i, 16 * 1024)),
        log.append('snapshotsKept', partition, plain(i, 8 * 1024)),
        log.append('progress', partition, keyed(i, 8000)),
      ];
      for (const outcome of await Promise.allSettled(outputs)) if (outcome.status === 'rejected') refused.add(codeOf(outcome.reason));
    }
    if (i % 32 !== 0) continue;
    skippedMs += 2000;
    await log.maintain(Date.now());
    skippedMs += 2000;
    freeBytesMin = Math.min(freeBytesMin, log.disk().freeBytes);
  }
  const { reserveBytes } = log.disk();
  // Limits of nothing would keep the reserve, too.
  const { usage } = await log.space();
  await log.close();
  print({
    refused: [...refused],
    keepsReserve: freeBytesMin > reserveBytes,
    usesDisk: usage.topics.frames + usage.topics.positions > (mebibytes * MIB) / 8,
  });
}

if (job === 'descriptors') await withFewDescriptors(Number(argument));
else if (job === 'space') await untilFull(argument, Number(process.argv[5]));
else await roundAndRound(Number(argument));
