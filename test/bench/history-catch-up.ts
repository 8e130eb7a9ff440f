// How fast the history catches up after its store was away, and what that costs live requests: the embedded service with simulated aircraft, whose store is
// frozen for a while. Linux only: the store's process is found in /proc.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseMetrics, sumOf } from '../runner/metrics-page.ts';
import { type RunningService, startService } from '../support/service.ts';
import { type Bench, costFigure, type Figure, rateFigure } from './harness.ts';
import type { HttpCall } from './http-load.ts';
import type { LoadOrder, LoadReport } from './records/load.ts';

/** Traffic before the first figure: aircraft are known, code is compiled. */
const SETTLE_MS = 30_000;
const LIVE_MS = 30_000;
/** The store is frozen for so long: the service ends one that is silent for longer (`historyLimits.storeSilentMsMax`). */
const AWAY_MS = 100_000;
const CATCH_UP_MS_MAX = 600_000;
const POLL_MS = 250;
/** Few enough that the load is not what is measured. */
const CALLS_PER_S = 100;
/** A phase ends up to so long after what it waits for. */
const LOAD_S = 1;
const HEXES_MAX = 200;
/** The lag of a history that is current. */
const CURRENT_S = 5;

export function historyCatchUpBench(aircraft: number): Bench {
  return {
    name: `history-catch-up-${aircraft}`,
    summary: `the store of ${aircraft.toLocaleString('en')} simulated aircraft is frozen for ${AWAY_MS / 1000} s`,
    async run() {
      const dataDir = mkdtempSync(join(tmpdir(), 'squitter-bench-'));
      const service = await startService(dataDir, ['--simulate', String(aircraft)], { SQUITTER_NO_HISTORY: '' });
      const load = fork(fileURLToPath(new URL('./records/load.js', import.meta.url)), [], { stdio: 'inherit', serialization: 'advanced' });
      try {
        return figures(aircraft, await measured(service, load));
      } finally {
        load.disconnect();
        await service.stop();
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
  };
}

interface Phase {
  readonly seconds: number;
  /** Rows that the store confirmed. */
  readonly rows: number;
  /** Of live requests. */
  readonly latenciesMs: readonly number[];
  /** Load average of the last minute, at the end. */
  readonly machineLoad: number;
}

interface Measured {
  /** Before the store is away, and after the history has caught up: other programs come and go. */
  readonly live: readonly Phase[];
  readonly away: Phase;
  readonly catchUp: Phase;
}

async function measured(service: RunningService, load: ChildProcess): Promise<Measured> {
  const store = storeOf(service.child.pid!);
  await sleep(SETTLE_MS);
  await untilCurrent(service);
  const calls = await liveCalls(service);
  const phase = async (isOver: (sinceMs: number) => Promise<boolean>): Promise<Phase> => {
    const before = await rowsOf(service);
    const startMs = performance.now();
    const latenciesMs: number[] = [];
    // The load goes on in pieces until the end of the phase, which is seen by itself.
    let over = false;
    const loaded = (async () => {
      while (!over) latenciesMs.push(...(await report(load, service, calls)).latenciesMs);
    })();
    while (!(await isOver(performance.now() - startMs))) await sleep(POLL_MS);
    const seconds = (performance.now() - startMs) / 1000;
    const rows = (await rowsOf(service)) - before;
    over = true;
    await loaded;
    return { seconds, rows, latenciesMs, machineLoad: loadavg()[0]! };
  };
  const lasts = (ms: number) => async (sinceMs: number) => sinceMs >= ms;
  const before = await phase(lasts(LIVE_MS));
  process.kill(store, 'SIGSTOP');
  const away = await phase(lasts(AWAY_MS)).finally(() => process.kill(store, 'SIGCONT'));
  const catchUp = await phase(async (sinceMs) => {
    if (sinceMs > CATCH_UP_MS_MAX) throw new Error(`the history has not caught up in ${CATCH_UP_MS_MAX / 1000} s`);
    return isCurrent(service);
  });
  return { live: [before, await phase(lasts(LIVE_MS))], away, catchUp };
}

/** Process id of the history store of a service. */
function storeOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const store = children.find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('store-process'));
  if (store === undefined) throw new Error('the service has no history store: its engine is an optional dependency');
  return store;
}

async function samples(service: RunningService): ReturnType<typeof parsed> {
  return parsed(await service.get('/metrics'));
}

async function parsed(response: Response): Promise<ReturnType<typeof parseMetrics>> {
  return parseMetrics(await response.text());
}

async function rowsOf(service: RunningService): Promise<number> {
  return sumOf(await samples(service), 'squitter_project_rows_total');
}

async function isCurrent(service: RunningService): Promise<boolean> {
  const lags = (await samples(service)).filter(({ name }) => name === 'squitter_project_lag_seconds');
  return lags.length > 0 && lags.every(({ value }) => value < CURRENT_S);
}

async function untilCurrent(service: RunningService): Promise<void> {
  for (const end = performance.now() + CATCH_UP_MS_MAX; !(await isCurrent(service)); await sleep(POLL_MS))
    if (performance.now() > end) throw new Error('the history is not current: the machine is too busy for this traffic');
}

/** Requests for one aircraft and for those around it, by turns. */
async function liveCalls(service: RunningService): Promise<HttpCall[]> {
  const { ac } = (await (await service.get('/v2/all')).json()) as { ac: { hex: string; lat?: number; lon?: number }[] };
  return ac
    .filter(({ lat, lon }) => lat !== undefined && lon !== undefined)
    .slice(0, HEXES_MAX)
    .flatMap(({ hex, lat, lon }) => [{ path: `/v2/hex/${hex}` }, { path: `/v2/lat/${lat}/lon/${lon}/dist/50` }]);
}

async function report(load: ChildProcess, service: RunningService, calls: readonly HttpCall[]): Promise<LoadReport> {
  const order: LoadOrder = { port: Number(new URL(service.url).port), seconds: LOAD_S, rate: CALLS_PER_S, http: { calls, headers: {} } };
  load.send(order);
  const done = new AbortController();
  const { signal } = done;
  // It ends at the first request that fails.
  const ended = once(load, 'exit', { signal }).then(([status]) => Promise.reject(new Error(`the load ended with status ${status}`)));
  try {
    const [message] = (await Promise.race([once(load, 'message', { signal }), ended])) as [LoadReport];
    return message;
  } finally {
    done.abort();
    ended.catch(() => {});
  }
}

const p99 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(0.99 * times.length)]!;

function figures(aircraft: number, { live, away, catchUp }: Measured): Figure[] {
  const [before] = live as readonly [Phase];
  const traffic = `${aircraft} simulated aircraft, live`;
  const machine = (phases: readonly Phase[]): string =>
    `load of the machine ${phases.map(({ machineLoad }) => machineLoad.toFixed(1)).join(' and ')}`;
  const latency = (name: string, phase: Phase, when: string): Figure => {
    const calls = `${phase.latenciesMs.length} requests of one aircraft and of 50 NM around one, ${CALLS_PER_S} a second, from the moment a request was due`;
    const reference = live.flatMap(({ latenciesMs }) => latenciesMs);
    const input = `${calls}, ${when}; ${traffic}; ${machine([phase])}; reference: ${reference.length} requests before and after, ${machine(live)}`;
    return costFigure(name, 'ms', p99(phase.latenciesMs), p99(reference), input);
  };
  const done = `${catchUp.rows} rows in ${catchUp.seconds.toFixed(1)} s after the store was frozen for ${AWAY_MS / 1000} s`;
  return [
    rateFigure(
      `history-catch-up-${aircraft}`,
      'rows/s',
      catchUp.rows / catchUp.seconds,
      before.rows / before.seconds,
      `${done}; ${traffic}; ${machine([catchUp])}; reference: the rows of live traffic before`,
    ),
    latency(`history-catch-up-${aircraft}-p99`, catchUp, 'while the history catches up'),
    latency(`history-away-${aircraft}-p99`, away, 'while the store is frozen'),
  ];
}
