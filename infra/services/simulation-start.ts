// Start time of the simulated traffic of a data folder. It is saved, so that flights continue after a restart instead of jumping across the map.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../schemas/limits/index.ts';

export const SIMULATION_SEED = 1;

/** Saved start, µs since the Unix epoch. Saves and returns `nowUs` if there is none for this number of aircraft. */
export function rememberedStartUs(dataDir: string, aircraft: number, nowUs: number): number {
  const file = join(dataDir, 'simulation.json');
  try {
    const saved = JSON.parse(readFileSync(file, 'utf8')) as { aircraft?: unknown; seed?: unknown; startUs?: unknown };
    const { startUs } = saved;
    const same = saved.aircraft === aircraft && saved.seed === SIMULATION_SEED && typeof startUs === 'number';
    if (same && startUs <= nowUs && nowUs - startUs < limits.simulationAgeUsMax) return startUs;
  } catch {
    // Missing or unreadable: a new simulation starts.
  }
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ aircraft, seed: SIMULATION_SEED, startUs: nowUs })}\n`, { mode: 0o600 });
  return nowUs;
}
