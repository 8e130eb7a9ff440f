// When the simulated traffic of a data folder began: after a restart every flight is where it would have been, instead of jumping across the map.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const SIMULATION_SEED = 1;

/** A simulation older than this begins anew: finding its present takes a look at every flight since. */
const KEEP_US_MAX = 7 * 86_400_000_000;

/** µs since the Unix epoch: now, unless the same number of aircraft flies on. */
export function rememberedStartUs(dataDir: string, aircraft: number, nowUs: number): number {
  const file = join(dataDir, 'simulation.json');
  try {
    const saved = JSON.parse(readFileSync(file, 'utf8')) as { aircraft?: unknown; seed?: unknown; startUs?: unknown };
    const { startUs } = saved;
    const same = saved.aircraft === aircraft && saved.seed === SIMULATION_SEED && typeof startUs === 'number';
    if (same && startUs <= nowUs && nowUs - startUs < KEEP_US_MAX) return startUs;
  } catch {
    // There is none, or it is not readable: then a new one begins.
  }
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ aircraft, seed: SIMULATION_SEED, startUs: nowUs })}\n`);
  return nowUs;
}
