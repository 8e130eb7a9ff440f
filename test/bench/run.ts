// Entry of `npm run bench [-- NAME …] [--json]`: runs all benchmarks or the named ones.
import { tuneForFold } from '../../pipeline/runtime/v8-flags.ts';
import type { Bench } from './harness.ts';
import { figureText } from './harness.ts';

// As the executable does.
tuneForFold();

const loaders: Readonly<Record<string, () => Promise<Bench>>> = {
  'fold-mixed': async () => (await import('./fold.ts')).foldMixedBench,
  'fold-positions': async () => (await import('./fold.ts')).foldPositionsBench,
  'fold-simulated': async () => (await import('./fold.ts')).foldSimulatedBench,
  service: async () => (await import('./service.ts')).serviceBench,
  log: async () => (await import('./log.ts')).logBench,
  access: async () => (await import('./access.ts')).accessBench,
  volumes: async () => (await import('./volumes.ts')).volumesBench,
  view: async () => (await import('./view.ts')).viewBench,
  'push-binary': async () => (await import('./push-binary.ts')).pushBinaryBench,
  http: async () => (await import('./http.ts')).httpBench,
  'http-slow-readers': async () => (await import('./slow-readers.ts')).slowReadersBench,
  'records-get': async () => (await import('./records.ts')).recordsGetBench,
  'records-nearby': async () => (await import('./records.ts')).recordsNearbyBench,
  'records-latency': async () => (await import('./records.ts')).recordsLatencyBench,
};

/** The engine is an optional dependency, and 50 million rows take minutes: they run only when named. */
const historyLoaders: Readonly<Record<string, () => Promise<Bench>>> = {
  'history-insert': async () => (await import('./history-insert.ts')).historyInsertBench(3_000_000),
  'history-query': async () => (await import('./history-query.ts')).historyQueryBench(3_000_000),
  export: async () => (await import('./export.ts')).exportBench(10_000_000),
  'history-catch-up-1500': async () => (await import('./history-catch-up.ts')).historyCatchUpBench(1500),
  'history-catch-up-15000': async () => (await import('./history-catch-up.ts')).historyCatchUpBench(15_000),
  'history-insert-day': async () => (await import('./history-insert.ts')).historyInsertBench(51_840_000),
};

/** A log of 25 million frames on the disk takes minutes: it runs only when named. */
const pastLoaders: Readonly<Record<string, () => Promise<Bench>>> = { past: async () => (await import('./past.ts')).pastBench };

const subscribers = [1000, 5000, 10_000];
const forEach = (name: string, make: (push: typeof import('./push.ts'), count: number) => Bench) =>
  subscribers.map((count) => [`${name}-${count}`, async () => make(await import('./push.ts'), count)] as const);

/** Thousands of sockets on an otherwise idle machine with Linux: they run only when named. */
const pushLoaders: Readonly<Record<string, () => Promise<Bench>>> = Object.fromEntries([
  ...forEach('push-world', (push, count) => push.pushWorldBench(count)),
  ...forEach('push-binary-world', (push, count) => push.pushBusyBench(count)),
  ...forEach('push-zones', (push, count) => push.pushZonesBench(count)),
  ...forEach('push-filters', (push, count) => push.pushFiltersBench(count)),
  ...forEach('push-idle', (push, count) => push.pushIdleBench(count)),
  ...subscribers.map(
    (count) => [`push-latency-${count}`, async () => (await import('./push-latency.ts')).pushWorldLatencyBench(count)] as const,
  ),
  ...subscribers.map(
    (count) => [`push-latency-binary-${count}`, async () => (await import('./push-latency.ts')).pushBinaryLatencyBench(count)] as const,
  ),
  ...[30, 200].flatMap((kb) => forEach(`push-frames-${kb}`, (push, count) => push.pushFramesBench(kb, count))),
]);

/** These need Java and Maven, most of them redis-server, and an otherwise idle machine: they run only when named. */
const clusterLoaders: Readonly<Record<string, () => Promise<Bench>>> = {
  'access-redis': async () => (await import('./access.ts')).accessRedisBench,
  'log-kafka': async () => (await import('./log-kafka.ts')).logKafkaBench,
  'cluster-backlog': async () => (await import('./cluster-backlog.ts')).clusterBacklogBench,
  'cluster-live': async () => (await import('./cluster-live.ts')).clusterLiveBench,
};

const namedLoaders = { ...historyLoaders, ...pastLoaders, ...pushLoaders, ...clusterLoaders };
const words = process.argv.slice(2).filter((word) => word !== '--json');
const json = process.argv.includes('--json');
const unknown = words.filter((word) => !(word in loaders || word in namedLoaders));
if (unknown.length > 0 || words.includes('--help')) {
  process.stderr.write(
    `benchmarks: ${[...Object.keys(loaders), ...Object.keys(namedLoaders)].join(', ')}\nusage: npm run bench [-- NAME …] [--json]\n`,
  );
  process.exitCode = words.includes('--help') ? 0 : 2;
} else {
  const names = words.length > 0 ? words : Object.keys(loaders);
  for (const name of names) {
    const bench = await (loaders[name] ?? namedLoaders[name])!();
    process.stderr.write(`${bench.name}: ${bench.summary}\n`);
    for (const figure of await bench.run()) process.stdout.write(json ? `${JSON.stringify(figure)}\n` : `${figureText(figure)}\n`);
  }
  process.exitCode = 0;
}
// Worker threads and sockets of a benchmark must not keep the process alive.
process.exit();
