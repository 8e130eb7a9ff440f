// The sky of past seconds from a log of 15,000 simulated aircraft with kept snapshots: from a service that only shows it, and from one that folds the same
// traffic live at the same time. And the rate of an audit of that log by number of threads.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { rememberedStartUs, SIMULATION_SEED } from '../../infra/services/simulation-start.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { startFoldWorker, TICK_MS } from '../../pipeline/fold/worker.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import { auditInThreads } from '../../pipeline/tools/audit/threads.ts';
import { withFolder, withServiceOn } from './children.ts';
import { type Bench, costFigure, type Figure, median, type Reference, rateFigure } from './harness.ts';
import { readFrames } from './log.ts';
import { appendSimulated } from './simulated-log.ts';

const AIRCRAFT = 15_000;
/** Twelve kept snapshots of each partition. */
const LOG_S = 240;
/** Behind the first snapshots of both partitions. */
const FIRST_MOMENT_S = 100;
const MOMENTS = 12;
const POLL_MS = 250;
const MOMENT_MS_MAX = 300_000;
/** Live traffic before the first request. */
const SETTLE_MS = 15_000;
const THREADS = [1, 2];

interface Filled {
  readonly dataDir: string;
  readonly startMs: number;
  readonly frames: number;
}

/** Milliseconds of requests. */
interface Times {
  /** The first one, which starts the threads. */
  readonly first: number;
  readonly moments: readonly number[];
  /** The second after each moment. */
  readonly next: readonly number[];
}

export const pastBench: Bench = {
  name: 'past',
  summary: `seconds of the past of ${AIRCRAFT.toLocaleString('en')} aircraft, and audits by number of threads`,
  run: () =>
    withFolder(async (dataDir) => {
      const filled = await fill(dataDir);
      const fromFirst = { value: await foldedFromFirst(filled), what: 'all frames up to the middle of the log, folded in one thread' };
      const audits = await auditFigures(filled);
      const still = await requested(filled, ['--no-simulation'], 0);
      const live = await requested(filled, ['--simulate', String(AIRCRAFT)], SETTLE_MS);
      return [...figures('past', still, fromFirst, 'no live traffic'), ...figures('past-live', live, fromFirst, 'live traffic'), ...audits];
    }),
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

/** Folds all partitions from the first frame up to the middle of the log, one after the other; ms. */
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
function requested({ dataDir, startMs }: Filled, flags: readonly string[], settleMs: number): Promise<Times> {
  return withServiceOn(dataDir, ['--no-history', ...flags], async ({ url }) => {
    await sleep(settleMs);
    const timeOf = async (atS: number): Promise<number> => {
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
    const first = await timeOf(endS - 2);
    const moments: number[] = [];
    const next: number[] = [];
    for (const atS of scatteredSeconds(startMs / 1000 + FIRST_MOMENT_S, endS - 4)) {
      moments.push(await timeOf(atS));
      next.push(await timeOf(atS + 1));
    }
    return { first, moments, next };
  });
}

/** Backwards, so that each is folded from its snapshot. The same in each run. */
function scatteredSeconds(fromS: number, toS: number): number[] {
  const random = new Random(1);
  const seconds = new Set<number>();
  while (seconds.size < MOMENTS) seconds.add(fromS + 2 * random.below((toS - fromS) / 2));
  return [...seconds].sort((a, b) => b - a);
}

function figures(name: string, { first, moments, next }: Times, reference: Reference, load: string): Figure[] {
  const what = `/v2/all?at=T at ${MOMENTS} scattered seconds of ${LOG_S} s of ${AIRCRAFT} simulated aircraft, ${load}`;
  const figure = (label: string, value: number, which: string): Figure =>
    costFigure(`${name}-${label}`, 'ms', value, `${which}: ${what}`, reference);
  return [
    figure('first', first, 'the first request, which starts the threads'),
    figure('moment-p50', median(moments), 'median'),
    figure('moment-worst', Math.max(...moments), 'the slowest'),
    figure('next-p50', median(next), 'the second after each, median'),
    figure('next-worst', Math.max(...next), 'the second after each, the slowest'),
  ];
}

/** Frames per second by the clock of an audit of the whole log. */
async function auditFigures({ dataDir, frames }: Filled): Promise<Figure[]> {
  const data = { location: { data: dataDir, brokers: [], registry: null }, env: {}, receiver: null, fromMs: null };
  const { log, codecs } = await openData(dataDir, 'read');
  try {
    const start = performance.now();
    await readFrames({ log, codecs });
    const reading = { value: (1000 * frames) / (performance.now() - start), what: 'only reading and decoding the records' };
    const found: Figure[] = [];
    for (const threads of THREADS) {
      const from = performance.now();
      const { partitions } = await auditInThreads({ log, onProgress: () => {}, signal: new AbortController().signal }, data, threads);
      const rate = (1000 * partitions.reduce((sum, partition) => sum + partition.frames, 0)) / (performance.now() - from);
      const input = `${frames} frames of ${AIRCRAFT} simulated aircraft in ${partitions.length} partitions, folded with all outputs and compared`;
      found.push(rateFigure(`past-audit-threads-${threads}`, 'frames/s', rate, input, reading));
    }
    return found;
  } finally {
    await log.close();
  }
}
