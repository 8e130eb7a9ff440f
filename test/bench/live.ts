// Cores and memory that a service needs for live traffic: of all its processes, and by part.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../support/requirements.ts';
import { processCpuSeconds, processesOf, type RunningService } from '../support/service.ts';
import { bareMemory, withFolder, withService } from './children.ts';
import { fedService, LIVE_S, type LiveInput, liveInput, liveUse, type Readings, SETTLE_S } from './fed.ts';
import { type Bench, costFigure, type Figure, yardstick } from './harness.ts';

const AIRCRAFT = [500, 5000, 15_000];
const COLLECTED = 'collections of ';

/** CPU seconds by the names of threads, of the store's process, and the time of collections, which is part of their threads. */
function partsOf({ child: { pid = 0 } }: RunningService, collections: string): Readings {
  const parts: Record<string, number> = {};
  const add = (name: string, seconds: number): void => {
    parts[name] = (parts[name] ?? 0) + seconds;
  };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const name = readFileSync(`/proc/${pid}/task/${thread}/comm`, 'latin1').trim();
    add(thread === String(pid) ? 'main' : name === 'node' ? 'disk' : name, processCpuSeconds(pid, thread));
  }
  for (const { cpuS } of processesOf(pid).slice(1)) add('store', cpuS);
  for (const file of readdirSync(collections).filter((name) => name.startsWith(`${pid}-`)))
    add(COLLECTED + file.slice(`${pid}-`.length), Number(readFileSync(join(collections, file), 'latin1')) / 1000);
  return parts;
}

/** `main 0.071 (collections 0.009), stages 0.164 (collections 0.034)`. */
function partsText(parts: Readings): string {
  const threads = Object.entries(parts).filter(([name]) => !name.startsWith(COLLECTED));
  const text = ([name, cores]: readonly [string, number]): string => {
    const collected = parts[COLLECTED + name];
    return `${name} ${cores.toFixed(3)}${collected === undefined ? '' : ` (collections ${collected.toFixed(3)})`}`;
  };
  return threads
    .sort(([, a], [, b]) => b - a)
    .map(text)
    .join(', ');
}

async function liveFigures(input: LiveInput, history: 'with' | 'without'): Promise<Figure[]> {
  const flags = ['--no-simulation', ...(history === 'without' ? ['--no-history'] : [])];
  const { cores, megabytes, parts } = await withFolder((collections) => {
    const env = { COLLECTIONS: collections, NODE_OPTIONS: `--require=${join(projectDir, 'test/bench/thread-names.cjs')}` };
    return withService(flags, (service) => liveUse(fedService(service), input, () => partsOf(service, collections)), { env });
  });
  const { aircraft, frames } = input;
  const rate = Math.round(frames / (SETTLE_S + LIVE_S));
  const what = `${rate} frames/s of ${aircraft} simulated aircraft over TCP ${history} history, ${LIVE_S} s after ${SETTLE_S} s`;
  const reference = { value: 1e7 / yardstick().value, what: 'ten million look-ups of a bare loop, CPU seconds' };
  const memory = megabytes.reduce((sum, each) => sum + each, 0);
  const name = `live-${aircraft}-${history}-history`;
  return [
    costFigure(`${name}-cores`, 'cores', cores, `${what}: ${partsText(parts)}`, reference),
    costFigure(`${name}-memory`, 'MB', memory, `${what}: ${megabytes.map(Math.round).join(' + ')} of the store`, await bareMemory()),
  ];
}

export const liveBench: Bench = {
  name: 'live',
  summary: `cores and memory of a service, its threads, collections and store, at ${AIRCRAFT.join(', ')} simulated aircraft`,
  async run() {
    const figures: Figure[] = [];
    for (const input of AIRCRAFT.map(liveInput))
      for (const history of ['with', 'without'] as const) figures.push(...(await liveFigures(input, history)));
    return figures;
  },
};
