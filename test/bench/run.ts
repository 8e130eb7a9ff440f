// Entry of `npm run bench [-- NAME …] [--json | --store | --against COMMIT [--turns N]]`: runs the quick benchmarks or the named ones.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { tuneForFold } from '../../pipeline/runtime/v8-flags.ts';
import { compareWith } from './against.ts';
import { BASELINES, type Bench, type Figure, figureText, ratioOf, storedRatios } from './harness.ts';

// The executable does the same.
tuneForFold();

const SUBSCRIBERS = [1000, 5000, 10_000];
type Loader = () => Promise<Bench>;
const forEach = (name: string, make: (push: typeof import('./push.ts'), count: number) => Bench): Record<string, Loader> =>
  Object.fromEntries(SUBSCRIBERS.map((count) => [`${name}-${count}`, async () => make(await import('./push.ts'), count)]));

/** Minutes, on npm packages alone. */
const quick: Readonly<Record<string, Loader>> = {
  'fold-mixed': async () => (await import('./fold.ts')).foldMixedBench,
  'fold-positions': async () => (await import('./fold.ts')).foldPositionsBench,
  log: async () => (await import('./log.ts')).logBench,
  view: async () => (await import('./view.ts')).viewBench,
  service: async () => (await import('./service.ts')).serviceBench,
  live: async () => (await import('./service.ts')).liveBench,
  http: async () => (await import('./http.ts')).httpBench,
  'records-get': async () => (await import('./records.ts')).recordsGetBench,
  'records-nearby': async () => (await import('./records.ts')).recordsNearbyBench,
};

/** Gigabytes, thousands of sockets, an optional engine, other programs or Java: they run when they are named. */
const named: Readonly<Record<string, Loader>> = {
  requests: async () => (await import('./requests.ts')).requestsBench,
  peers: async () => (await import('./peers.ts')).peersBench,
  past: async () => (await import('./past.ts')).pastBench,
  'history-insert': async () => (await import('./history.ts')).historyInsertBench(3_000_000),
  'history-insert-day': async () => (await import('./history.ts')).historyInsertBench(51_840_000),
  'history-query': async () => (await import('./history.ts')).historyQueryBench(3_000_000),
  export: async () => (await import('./history.ts')).exportBench(10_000_000),
  ...forEach('push-world', (push, count) => push.pushWorldBench(count)),
  ...forEach('push-binary-world', (push, count) => push.pushBinaryBench(count)),
  ...forEach('push-filters', (push, count) => push.pushFiltersBench(count)),
  ...forEach('push-latency', (push, count) => push.pushLatencyBench(count)),
  'cluster-backlog': async () => (await import('./cluster.ts')).clusterBacklogBench,
  'cluster-live': async () => (await import('./cluster.ts')).clusterLiveBench,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    store: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    against: { type: 'string' },
    turns: { type: 'string', default: '5' },
  },
});
const all = { ...quick, ...named };
const unknown = positionals.filter((name) => !(name in all));
if (values.help || unknown.length > 0) {
  const usage = 'npm run bench [-- NAME …] [--json | --store | --against COMMIT [--turns N]]';
  process.stderr.write(`benchmarks: ${Object.keys(all).join(', ')}\nusage: ${usage}\n`);
  process.exit(values.help ? 0 : 2);
}
// Its services end with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const names = positionals.length > 0 ? positionals : Object.keys(quick);
if (values.against !== undefined) await compareWith(values.against, names, Number(values.turns));
else await runHere();
// Worker threads and sockets of a benchmark must not keep the process alive.
process.exit(0);

async function runHere(): Promise<void> {
  const found: Figure[] = [];
  for (const name of names) {
    const bench = await all[name]!();
    process.stderr.write(`${bench.name}: ${bench.summary}\n`);
    for (const figure of await bench.run(Number(values.turns))) {
      process.stdout.write(`${values.json ? JSON.stringify(figure) : figureText(figure, storedRatios())}\n`);
      found.push(figure);
    }
  }
  if (!values.store) return;
  const ratios = { ...storedRatios(), ...Object.fromEntries(found.map((figure) => [figure.name, Number(ratioOf(figure).toPrecision(4))])) };
  writeFileSync(BASELINES, `${JSON.stringify(ratios, null, 2)}\n`);
}
