// `npm run cluster`: a whole cluster on this machine under simulated traffic, with a proof that no record was lost or repeated.
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Closer, closeAll } from '../../infra/services/closing.ts';
import { serviceLogger } from '../../infra/services/logging.ts';
import { startPlanFiling } from '../../infra/services/plan-filing.ts';
import { rememberedStartUs, SIMULATION_SEED } from '../../infra/services/simulation-start.ts';
import { createEventClock } from '../../pipeline/ingest/event-clock.ts';
import { defineCommand, EXIT_DONE, EXIT_FAILED } from '../../pipeline/runtime/command.ts';
import {
  type Endpoint,
  type Environment,
  endpoint,
  integerBetween,
  type OptionValues,
  parseEndpoint,
} from '../../pipeline/runtime/options.ts';
import { stopAfter } from '../../pipeline/runtime/waiting.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import { historyAddress, historyOptions } from '../../pipeline/store/options.ts';
import { limits } from '../../schemas/limits/index.ts';
import { localLimits } from '../local/limits.ts';
import { finish, type Outcome } from './finish.ts';
import { LocalCluster, step, withoutOurs } from './local-cluster.ts';
import { Supervised } from './supervised.ts';
import { type Picture, statusLine } from './watch.ts';

const PROCESSES_MAX = 12;
const SECONDS_MAX = 7 * 86_400;
const STATUS_MS = 1000;

export const clusterCommand = defineCommand({
  name: 'cluster',
  summary: 'the cluster profile on this machine: real Kafka, registry and Redis, each service as one or more processes',
  words: '--',
  wordsMin: 0,
  wordsMax: 0,
  details: [
    'Needs Java 17 or newer, Maven and redis-server. Kafka and the registry are downloaded once. Processes that end are restarted, as in Kubernetes.',
    "The history is kept by ClickHouse's engine (chDB); where that is not installed, and no server is named, there is no history, and the program says so.",
    'With --for the run ends by itself: the feed stops, all frames are folded, and an audit compares the topics on the broker. Its verdict is the last line,',
    'and the exit status is 0 only if all checks passed.',
  ].join('\n'),
  examples: ['npm run cluster', 'npm run cluster -- --simulate 2000 --for 60'],
  options: {
    data: {
      flag: 'data',
      value: 'DIR',
      help: 'folder of data and log files; the next start continues with it',
      fallback: './data/cluster',
    },
    http: {
      flag: 'http',
      value: 'HOST:PORT',
      help: 'public address: connections are distributed over the ready query APIs',
      fallback: endpoint('127.0.0.1', 8080) as Endpoint,
      parse: parseEndpoint,
    },
    simulate: {
      flag: 'simulate',
      value: 'N',
      help: `number of simulated aircraft, 0 to ${limits.simulatedAircraftMax}; their receivers feed the ingests over TCP`,
      fallback: 500 as number,
      parse: integerBetween(0, limits.simulatedAircraftMax),
    },
    for: {
      flag: 'for',
      value: 'SECONDS',
      help: 'end after this time, counted from when all processes are ready, and audit',
      fallback: null as number | null,
      parse: integerBetween(1, SECONDS_MAX),
    },
    ingests: {
      flag: 'ingests',
      value: 'N',
      help: 'number of ingest processes',
      fallback: 2 as number,
      parse: integerBetween(1, PROCESSES_MAX),
    },
    folds: { flag: 'folds', value: 'N', help: 'number of fold processes', fallback: 2 as number, parse: integerBetween(1, PROCESSES_MAX) },
    flights: {
      flag: 'flights',
      value: 'N',
      help: 'number of flights processes',
      fallback: 1 as number,
      parse: integerBetween(1, PROCESSES_MAX),
    },
    ...historyOptions,
    clickhouse: {
      ...historyOptions.clickhouse,
      help: 'ClickHouse server for the history; by default its engine runs in a process of its own (chDB)',
    },
    noHistory: {
      flag: 'no-history',
      env: 'SQUITTER_NO_HISTORY',
      help: 'keep no history: neither project stages nor the export service run',
      fallback: false as boolean,
    },
    projects: {
      flag: 'projects',
      value: 'N',
      help: 'number of project processes',
      fallback: 1 as number,
      parse: integerBetween(1, PROCESSES_MAX),
    },
    queryApis: {
      flag: 'query-apis',
      value: 'N',
      help: 'number of query API processes',
      fallback: 2 as number,
      parse: integerBetween(1, PROCESSES_MAX),
    },
    pushes: {
      flag: 'pushes',
      value: 'N',
      help: 'number of push processes',
      fallback: 2 as number,
      parse: integerBetween(1, PROCESSES_MAX),
    },
  },
  async run({ options, env, stdout, stderr, signal }) {
    const closers: Closer[] = [];
    const print = (text: string): void => void stdout.write(`${text}\n`);
    const logger = serviceLogger(stderr, { base: null });
    let outcome: Outcome = { held: false, verdict: '' };
    let clean = false;
    try {
      outcome = await runCluster(options, { print, env, signal, stderr }, closers);
    } finally {
      clean = await closeAll(closers, logger, localLimits.localClusterStopMsMax);
    }
    stdout.write(outcome.verdict);
    return outcome.held && clean ? EXIT_DONE : EXIT_FAILED;
  },
});

type Options = OptionValues<typeof clusterCommand.options>;

interface Io {
  readonly print: (text: string) => void;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly stderr: Writable;
}

async function runCluster(options: Options, { print, env, signal, stderr }: Io, closers: Closer[]): Promise<Outcome> {
  const { data: dataDir, http, simulate } = options;
  const { ingests, folds, flights, projects, queryApis, pushes } = options;
  const counts = { ingests, folds, flights, projects, exports: 1, queryApis, pushes };
  const history = options.noHistory ? null : (historyAddress(options) ?? 'engine');
  const startMs = performance.now();
  const cluster = await LocalCluster.start({ dataDir, http, counts, history, simulated: simulate > 0, env, print }, closers);
  for (const line of addressLines(cluster, dataDir)) print(line);
  const { watch } = cluster;
  await step(print, 'waiting until every ingest is ready', () =>
    watch.started(({ service }) => service === 'ingest', localLimits.localClusterReadyMsMax, signal),
  );
  // Before the others are ready: without a feeder for a minute they never are.
  const feed = simulate === 0 ? null : startFeed(cluster, { dataDir, simulate, env, print });
  if (feed !== null) closers.unshift(() => feed.stop());
  if (feed !== null) closers.unshift(fileSimulatedPlans(cluster, options, print));
  await step(print, 'waiting until every process is ready', () => watch.started(() => true, localLimits.localClusterReadyMsMax, signal));
  print(`ready after ${((performance.now() - startMs) / 1000).toFixed(1)} s`);

  await report(cluster, options.for === null ? signal : stopAfter(options.for * 1000, signal), print);
  if (signal.aborted) {
    print('stopping');
    return { held: true, verdict: '' };
  }
  return finish({ cluster, feed, print, stderr, signal });
}

/** Addresses and process ids, as lines. */
function addressLines(cluster: LocalCluster, dataDir: string): string[] {
  const rows: (readonly [string, number | null, string])[] = cluster.programs.map(({ name, pid, address }) => [name, pid, address]);
  for (const [{ name, http, listen, push, grpc }, { pid }] of cluster.processes) {
    const others = [
      ...(listen === null ? [] : [`feeders push to ${listen}`]),
      ...(push === null ? [] : [`streams at ${push}`]),
      ...(grpc === null ? [] : [`records over gRPC at ${grpc}`]),
    ];
    rows.push([name, pid, [`http://${http}`, ...others].join(', ')]);
  }
  return [
    ...rows.map(([name, pid, address]) => `  ${name.padEnd(12)} process ${String(pid ?? '-').padEnd(8)} ${address}`),
    `  ${'public'.padEnd(12)} ${' '.repeat(16)} http://${cluster.http}/`,
    `  ${'logs'.padEnd(12)} ${' '.repeat(16)} ${join(dataDir, 'logs')}`,
  ];
}

function startFeed(
  cluster: LocalCluster,
  feed: { dataDir: string; simulate: number; env: Environment; print: (text: string) => void },
): Supervised {
  const { dataDir, simulate, env, print } = feed;
  const start = new Date(rememberedStartUs(dataDir, simulate, Date.now() * 1000) / 1000).toISOString();
  const to = cluster.listens().join(',');
  print(`${simulate} SIMULATED aircraft; their receivers feed ${to}`);
  return new Supervised({
    name: 'simulation',
    flags: ['simulate', '--aircraft', String(simulate), '--seed', String(SIMULATION_SEED), '--start', start, '--to', to],
    env: withoutOurs(env),
    logFile: join(dataDir, 'logs', 'simulation.log'),
    print,
  });
}

/** The simulation only feeds frames over TCP, so the flight plans are written here. */
function fileSimulatedPlans({ cluster }: LocalCluster, { data, simulate }: Options, print: (text: string) => void): Closer {
  const { nowUs } = createEventClock();
  const traffic = createTraffic({ aircraft: simulate, seed: SIMULATION_SEED, startUs: rememberedStartUs(data, simulate, nowUs()) });
  const onError = (error: unknown): void => print(`flight plans could not be written: ${String(error)}`);
  return startPlanFiling({ ...cluster, traffic, nowUs, onError }).stop;
}

/** Prints a line a second. */
async function report(cluster: LocalCluster, over: AbortSignal, print: (text: string) => void): Promise<void> {
  let before: Picture | null = null;
  while (!over.aborted) {
    const picture = cluster.watch.picture();
    print(statusLine(picture, before, cluster.cluster.log.partitions('frames')));
    before = picture;
    await sleep(STATUS_MS, undefined, { signal: over }).catch(() => {});
  }
}
