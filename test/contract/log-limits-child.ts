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
  // The guard looks at the disk once a second: here that is before and after each maintenance.
  const nowMs = performance.now.bind(performance);
  let skippedMs = 0;
  performance.now = () => nowMs() + skippedMs;
  const log = await openLmdbLog({ path, mode: 'write' });
  const refused = new Set<string>();
  let freeBytesMin = Number.POSITIVE_INFINITY;
  /** Records of an append: their number, whether they have keys, and the bytes of each. */
  const plan = [
    ['frames', 2, false, 60_000],
    ['positions', 1, false, 60_000],
    ['aircraft', 4, true, 8000],
    ['snapshots', 1, true, 16 * 1024],
    ['snapshotsKept', 1, false, 8 * 1024],
    ['progress', 1, true, 8000],
  ] as const;
  for (let i = 0; i < mebibytes * 4; i += 2) {
    for (const partition of [0, 1]) {
      const outputs = plan.map(([topic, count, isKeyed, bytes]) => {
        const numbers = Array.from({ length: count }, (_, k) => i + k);
        const records = numbers.map((n) => ({ key: isKeyed ? `${n % 7}` : null, value: numbered(n, bytes), timestampMs: n }));
        return log.append(topic, partition, records);
      });
      for (const outcome of await Promise.allSettled(outputs)) if (outcome.status === 'rejected') refused.add(codeOf(outcome.reason));
    }
    if (i % 32 !== 0) continue;
    skippedMs += 2000;
    await log.maintain(Date.now());
    skippedMs += 2000;
    freeBytesMin = Math.min(freeBytesMin, log.disk().freeBytes);
  }
  const keepsReserve = freeBytesMin > log.disk().reserveBytes;
  // Limits of nothing would keep the reserve, too.
  const { frames, positions } = (await log.space()).usage.topics;
  await log.close();
  print({ refused: [...refused], keepsReserve, usesDisk: frames + positions > (mebibytes * 1024 ** 2) / 8 });
}

if (job === 'descriptors') await withFewDescriptors(Number(argument));
else if (job === 'space') await untilFull(argument, Number(process.argv[5]));
else await roundAndRound(Number(argument));
