// The simulation of a data folder: its start time is saved, so that flights continue after a restart instead of jumping across the map.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../schemas/limits/index.ts';
import type { IngestStats } from './stages/ingest-service.ts';

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

/**
 * Advice when a feeder ended the simulation and is gone; null otherwise. The simulation does not begin again by itself: a receiver that restarts
 * must not find simulated aircraft in its log.
 */
export function endedSimulation(
  simulatedAircraft: number,
  now: Pick<IngestStats, 'simulatedAircraft' | 'withoutFeederMs'> | null,
): string | null {
  if (simulatedAircraft === 0 || now === null || now.simulatedAircraft > 0 || now.withoutFeederMs === 0) return null;
  return `the simulation ended when a feeder connected, and does not begin again: restart with --simulate ${simulatedAircraft} for simulated aircraft, or with --feed HOST:PORT for those of a receiver`;
}
