// A service on 14 March 2026 at 12:05, by its clock, with the same past each time: four minutes of simulated traffic, an hour and a half ago. Nothing is
// received now.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningService, squitter, startService } from './service.ts';

const RECORDED_NOW_MS = Date.parse('2026-03-14T12:05:00Z');
const LOG_FROM = '2026-03-14T10:40:00Z';
export const LOG_MOMENT = '2026-03-14T10:42:30Z';
export const AIRCRAFT = 60;
/** With this seed one of the aircraft has an emergency. */
const SEED = 36;

export interface Recorded {
  readonly service: RunningService;
  /** The clock of the service less the real one, ms. */
  readonly offsetMs: number;
}

/** `library`: libfaketime, of which only services need the clock. */
export async function startRecorded(folder: string, library: string): Promise<Recorded> {
  const env = clock(library, RECORDED_NOW_MS - Date.now());
  const [data, file] = [join(folder, 'data'), join(folder, 'traffic.beast')];
  const words = ['simulate', '--aircraft', String(AIRCRAFT), '--minutes', '4', '--seed', String(SEED), '--out', file];
  const simulated = await squitter(words, { env });
  const replayed = await squitter(['replay', file, '--data', data, '--speed', 'max', '--start', LOG_FROM], { env });
  for (const { code, stderr } of [simulated, replayed]) if (code !== 0) throw new Error(stderr);
  return start(folder, library);
}

/** The same with its history alone: the log is new. */
export async function startWithoutLog(folder: string, library: string): Promise<Recorded> {
  rmSync(join(folder, 'data/log'), { recursive: true });
  return start(folder, library);
}

async function start(folder: string, library: string): Promise<Recorded> {
  // Work before this takes no time of the service's clock.
  const offsetMs = RECORDED_NOW_MS - Date.now();
  const env = { ...clock(library, offsetMs), SQUITTER_NO_HISTORY: '' };
  return { service: await startService(join(folder, 'data'), ['--no-simulation'], env), offsetMs };
}

const clock = (library: string, offsetMs: number) => ({
  ...{ LD_PRELOAD: library, FAKETIME: `${(offsetMs / 1000).toFixed(3)}s`, FAKETIME_DONT_FAKE_MONOTONIC: '1' },
});

/** For `init`: the clock of the page is that of the service. */
export const clockOf = ({ offsetMs }: Recorded): string => `{ const now = Date.now; Date.now = () => now() + ${offsetMs}; }`;
