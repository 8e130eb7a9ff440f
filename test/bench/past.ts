// The sky of past seconds from a log of 15,000 simulated aircraft with kept snapshots: from a service that only shows it, and from one that folds the same
// traffic live at the same time. And the rate of an audit of that log by number of threads.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { rememberedStartUs, SIMULATION_SEED } from '../../infra/services/simulation-start.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { startFoldWorker, TICK_MS } from '../../pipeline/fold/worker.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { auditInThreads } from '../../pipeline/tools/audit/threads.ts';
import { freePortFlags } from '../support/free-port-flags.ts';
import { type Bench, costFigure, type Figure, rateFigure } from './harness.ts';
import { appendSimulated } from './simulated-log.ts';

const AIRCRAFT = 15_000;
/** Four kept snapshots of each partition. */
const LOG_S = 240;
/** Behind the first snapshots of both partitions. */
const FIRST_MOMENT_S = 100;
const MOMENTS = 12;
const POLL_MS = 250;
const READY_MS_MAX = 120_000;
const MOMENT_MS_MAX = 300_000;
/** Live traffic before the first request. */
const SETTLE_MS = 15_000;
const THREADS = [...new Set([1, 2, availableParallelism()])];
const program = fileURLToPath(new URL('../../infra/cli/squitter.js', import.meta.url));

interface Filled {
  readonly dataDir: string;
  readonly startMs: number;
  readonly frames: number;
}

/** Milliseconds of requests. */
interface Times {
  /** The first one, which starts the threads. */
  readonly first: number;
  readonly moments: number[];
  /** The second after each moment. */
  readonly next: number[];
}

export const pastBench: Bench = {
  name: 'past',
  summary: `seconds of the past of ${AIRCRAFT.toLocaleString('en')} aircraft, and audits by number of threads`,
  async run() {
    const dataDir = mkdtempSync(join(tmpdir(), 'squitter-bench-'));
    try {
      const filled = await fill(dataDir);
      const fromFirst = await foldedFromFirst(filled);
      const audits = await auditFigures(filled);
      const still = await requested(filled, ['--no-simulation'], 0);
      const live = await requested(filled, ['--simulate', String(AIRCRAFT)], SETTLE_MS);
      return [...stillFigures(still, fromFirst), ...liveFigures(live, still), ...audits];
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};

/** Writes the frames of the last minutes as an ingest does, and folds them as the service does. A service with the simulation continues them. */
async function fill(dataDir: string): Promise<Filled> {
  const startUs = rememberedStartUs(dataDir, AIRCRAFT, 1_000_000 * (Math.floor(Date.now() / 1000) - LOG_S));
  const data = await openData(dataDir, 'write');
  const { log, codecs } = data;
  try {
    const worker = await startFoldWorker({ log, codecs, fold: { tickMs: TICK_MS, receiver: null } });
    const frames = await appendSimulated(data, { aircraft: AIRCRAFT, seed: SIMULATION_SEED, startUs, seconds: LOG_S });
    for (let partition = 0; partition < log.partitions('frames'); partition += 1) {
      const { next } = await log.bounds('frames', partition);
      while ((worker.stats.nextOffsets.get(partition) ?? 0) < next) await Promise.race([sleep(POLL_MS), worker.member.done]);
    }
    await worker.member.leave();
    return { dataDir, startMs: startUs / 1000, frames };
  } finally {
    await log.close();
  }
}

/** The ordinary way: folds all partitions from the first frame up to the middle of the log, one after the other; ms. */
async function foldedFromFirst({ dataDir, startMs }: Filled): Promise<number> {
  const { log, codecs } = await openData(dataDir, 'read');
  try {
    const endMs = startMs + 500 * (FIRST_MOMENT_S + LOG_S);
    const start = performance.now();
    for (let partition = 0; partition < log.partitions('frames'); partition += 1) {
      const fold = new PartitionFold({ tickMs: TICK_MS, receiver: null });
      const to = await log.offsetAt('frames', partition, endMs);
      for await (const { records } of log.read({ topic: 'frames', partition, from: 'earliest', to }))
        for (const { value, offset } of records) fold.apply(codecs.FrameBatch.decode(value!), offset, () => {});
    }
    return performance.now() - start;
  } finally {
    await log.close();
  }
}

/** Requests of a service over the log, in its own process. */
async function requested({ dataDir, startMs }: Filled, flags: readonly string[], settleMs: number): Promise<Times> {
  const child = spawn(process.execPath, [program, 'start', '--data', dataDir, '--no-history', ...flags, ...freePortFlags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    const [banner] = (await Promise.race([once(child.stdout, 'data'), exited.then(() => ['the service ended'])])) as [Buffer];
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(banner))?.[0];
    if (url === undefined) throw new Error(`the service did not start: ${String(banner)}`);
    child.stdout.resume();
    await untilShown(url);
    await sleep(settleMs);
    const ask = async (atS: number): Promise<number> => {
      const start = performance.now();
      let response = await fetch(`${url}/v2/all?at=${atS}`);
      // On a busy machine a moment may take longer than a request: the figure is the time until there is a response.
      while (response.status === 503 && performance.now() - start < MOMENT_MS_MAX) {
        await response.arrayBuffer();
        await sleep(POLL_MS);
        response = await fetch(`${url}/v2/all?at=${atS}`);
      }
      const text = await response.text();
      const { now, total } = JSON.parse(text) as { now?: number; total?: number };
      if (now !== atS || (total ?? 0) < AIRCRAFT / 2) throw new Error(`${response.status} for the second ${atS}: ${text.slice(0, 200)}`);
      return performance.now() - start;
    };
    const endS = startMs / 1000 + LOG_S;
    const first = await ask(endS - 2);
    const moments: number[] = [];
    const next: number[] = [];
    for (const atS of randomSeconds(startMs / 1000 + FIRST_MOMENT_S, endS - 4)) {
      moments.push(await ask(atS));
      next.push(await ask(atS + 1));
    }
    return { first, moments: moments.sort((a, b) => a - b), next: next.sort((a, b) => a - b) };
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

async function untilShown(url: string): Promise<void> {
  for (const end = performance.now() + READY_MS_MAX; performance.now() < end; await sleep(POLL_MS)) {
    const { ok } = await fetch(`${url}/v2/stats`);
    if (ok) return;
  }
  throw new Error('the service shows no aircraft');
}

/** Backwards, so that each is folded from its snapshot. The same in each run. */
function randomSeconds(fromS: number, toS: number): number[] {
  let state = 1;
  const seconds = new Set<number>();
  while (seconds.size < MOMENTS) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    seconds.add(fromS + 2 * Math.floor(((state / 2 ** 32) * (toS - fromS)) / 2));
  }
  return [...seconds].sort((a, b) => b - a);
}

const middle = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)]!;
const what = `/v2/all?at=T at ${MOMENTS} random seconds of ${LOG_S} s of ${AIRCRAFT} simulated aircraft`;

function stillFigures({ first, moments, next }: Times, fromFirst: number): Figure[] {
  const reference = 'reference: all frames up to the middle of the log, folded from the first on in one thread';
  return [
    costFigure('past-first', 'ms', first, fromFirst, `the first request, which starts the threads; ${reference}`),
    costFigure('past-moment-p50', 'ms', middle(moments), fromFirst, `${what}, no live traffic; ${reference}`),
    costFigure('past-moment-worst', 'ms', moments.at(-1)!, fromFirst, `the slowest of them; ${reference}`),
    costFigure('past-next-p50', 'ms', middle(next), middle(moments), 'the second after each; reference: the second itself'),
    costFigure('past-next-worst', 'ms', next.at(-1)!, middle(moments), 'the slowest of them; reference: the second itself, median'),
  ];
}

function liveFigures(live: Times, still: Times): Figure[] {
  const load = `while the service simulates and folds ${AIRCRAFT} aircraft live; reference: without live traffic`;
  return [
    costFigure('past-live-first', 'ms', live.first, still.first, `the first request, ${load}`),
    costFigure('past-live-moment-p50', 'ms', middle(live.moments), middle(still.moments), `${what}, ${load}`),
    costFigure('past-live-moment-worst', 'ms', live.moments.at(-1)!, still.moments.at(-1)!, `the slowest of them, ${load}`),
    costFigure('past-live-next-p50', 'ms', middle(live.next), middle(still.next), `the second after each, ${load}`),
    costFigure('past-live-next-worst', 'ms', live.next.at(-1)!, still.next.at(-1)!, `the slowest of them, ${load}`),
  ];
}

/** Frames per second by the clock of an audit of the whole log. */
async function auditFigures({ dataDir, frames }: Filled): Promise<Figure[]> {
  const data = { location: { data: dataDir, brokers: [], registry: null }, env: {}, receiver: null, fromMs: null };
  const { log, codecs } = await openData(dataDir, 'read');
  try {
    const start = performance.now();
    for (let partition = 0; partition < log.partitions('frames'); partition += 1)
      for await (const { records } of log.read({ topic: 'frames', partition, from: 'earliest', to: 'end' }))
        for (const { value } of records) codecs.FrameBatch.decode(value!);
    const reading = (1000 * frames) / (performance.now() - start);
    let alone = reading;
    const figures: Figure[] = [];
    for (const threads of THREADS) {
      const from = performance.now();
      const { partitions } = await auditInThreads({ log, onProgress: () => {}, signal: new AbortController().signal }, data, threads);
      const rate = (1000 * partitions.reduce((sum, partition) => sum + partition.frames, 0)) / (performance.now() - from);
      const reference = threads === 1 ? 'only reading and decoding the records' : 'one thread';
      const input = `${frames} frames of ${AIRCRAFT} simulated aircraft in ${partitions.length} partitions, folded with all outputs and compared; reference: ${reference}`;
      figures.push(rateFigure(`past-audit-threads-${threads}`, 'frames/s', rate, alone, input));
      if (threads === 1) alone = rate;
    }
    return figures;
  } finally {
    await log.close();
  }
}
