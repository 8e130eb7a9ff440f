// Chaos for the folds of a local cluster: at random moments one is killed, or frozen for longer than its session and resumed.
// The seed determines all random numbers, but not the timing of the machine.
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../../schemas/limits.ts';

/** A process that chaos may kill and freeze. */
export interface Victim {
  readonly name: string;
  readonly pid: number | null;
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

export interface ChaosOptions {
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

export interface ChaosCounts {
  kills: number;
  freezes: number;
}

const PAUSE_MS_MIN = 2000;
const PAUSE_MS_MAX = 8000;
/** Longer than the session: when the fold resumes, others own its partitions. */
const FREEZE_MS_MIN = limits.kafkaSessionMs + 1000;
const FREEZE_MS_MAX = limits.kafkaSessionMs + 6000;

/** Runs until the signal. Resolves when all frozen processes are resumed. */
export async function makeChaos(victims: readonly Victim[], { seed, signal, say }: ChaosOptions): Promise<ChaosCounts> {
  const random = randomNumbers(seed);
  const between = (min: number, max: number): number => min + random() * (max - min);
  const counts: ChaosCounts = { kills: 0, freezes: 0 };
  while (!signal.aborted) {
    await pause(between(PAUSE_MS_MIN, PAUSE_MS_MAX), signal);
    // Drawn before any check, so that the same seed gives the same sequence.
    const [which, how, freezeMs] = [random(), random(), between(FREEZE_MS_MIN, FREEZE_MS_MAX)];
    const victim = victims[Math.floor(which * victims.length)]!;
    if (signal.aborted || victim.pid === null) continue;
    if (how < 0.5) {
      counts.kills += 1;
      say(`chaos: kill -9 ${victim.name} (process ${victim.pid})`);
      await victim.kill();
      continue;
    }
    counts.freezes += 1;
    say(`chaos: ${victim.name} (process ${victim.pid}) frozen for ${(freezeMs / 1000).toFixed(1)} s`);
    victim.freeze();
    await pause(freezeMs, signal);
    victim.thaw();
    say(`chaos: ${victim.name} resumed`);
  }
  return counts;
}

/** A small random number generator (xorshift), with numbers from 0 to below 1. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
