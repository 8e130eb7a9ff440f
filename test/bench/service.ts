// All processes of a service: frames per CPU second when it is fed as fast as it accepts them, and cores and memory for live traffic, by part.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from '../support/requirements.ts';
import { bareMemory, sum, usageOf, withFolder, withService } from './children.ts';
import { fedService, fullInputs, fullSpeed, liveInput, liveUse } from './fed.ts';
import { type Bench, costFigure, type Figure, rateFigure, yardstick } from './harness.ts';

export const serviceBench: Bench = {
  name: 'service',
  summary: 'all processes of a service, fed over TCP',
  async run() {
    const figures: Figure[] = [];
    for (const { name, what, pieces } of fullInputs) {
      const all = pieces();
      const { rate } = await withService(['--no-simulation'], (service) => fullSpeed(fedService(service), all));
      figures.push(rateFigure(`service-processes-${name}`, 'frames/CPU-s', rate, `${what}, log and history on disk included`));
    }
    return figures;
  },
};

/** Seconds of each thread in collections so far, by the files that thread-names.cjs writes. */
const collectionsIn = (folder: string): Record<string, number> =>
  Object.fromEntries(
    readdirSync(folder).map((thread) => [`collections of ${thread}`, Number(readFileSync(join(folder, thread), 'latin1')) / 1000]),
  );

async function liveFigures(aircraft: number): Promise<Figure[]> {
  const input = liveInput(aircraft);
  const figures: Figure[] = [];
  for (const [history, ...flags] of [['with'], ['without', '--no-history']]) {
    const { cores, megabytes, parts } = await withFolder((folder) =>
      withService(
        ['--no-simulation', ...flags],
        (service) => liveUse(fedService(service), input.pieces, () => ({ ...usageOf(service.child.pid!).parts, ...collectionsIn(folder) })),
        { COLLECTIONS: folder, NODE_OPTIONS: `--require=${join(projectDir, 'test/bench/thread-names.cjs')}` },
      ),
    );
    const [name, what] = [`live-${aircraft}-${history}-history`, `${input.what}, ${history} history`];
    const byPart = parts.map(([part, each]) => `${part} ${each.toFixed(3)}`).join(', ');
    const loop = { value: 1e7 / yardstick().value, what: 'ten million look-ups of a bare loop, CPU seconds' };
    const byProcess = megabytes.map(Math.round).join(' + ');
    figures.push(
      costFigure(`${name}-cores`, 'cores', cores, `${what}: ${byPart}`, loop),
      costFigure(`${name}-memory`, 'MB', sum(megabytes), `${what}: ${byProcess}`, await bareMemory()),
    );
  }
  return figures;
}

export const liveBench: Bench = {
  name: 'live',
  summary: 'cores and memory of all processes of a service for live traffic: threads, collections, store',
  run: async () => [...(await liveFigures(500)), ...(await liveFigures(5000)), ...(await liveFigures(15_000))],
};
