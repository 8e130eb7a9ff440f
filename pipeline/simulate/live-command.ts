// `squitter simulate --to`: simulates in real time and feeds services.
import type { Writable } from 'node:stream';
import { SquitterError } from '../../schemas/errors.ts';
import { EXIT_DONE } from '../runtime/command.ts';
import type { Endpoint } from '../runtime/options.ts';
import { createProgress } from '../runtime/progress.ts';
import { stopAfter } from '../runtime/waiting.ts';
import { feedLive } from './live-feed.ts';

const MINUTE_MS = 60_000;

export interface LiveOptions {
  readonly aircraft: number;
  readonly seed: number;
  readonly minutes: number | null;
  readonly start: number | null;
  readonly to: readonly Endpoint[];
  readonly out: string;
}

/** Runs until interrupted, or for a number of minutes. */
export async function flyInto(
  { aircraft, seed, minutes, start, to, out }: LiveOptions,
  stderr: Writable,
  signal: AbortSignal,
): Promise<number> {
  if (out !== '') throw new SquitterError('usage.bad_value', { flag: '--out', value: out, detail: '--to is also given' });
  const end = minutes === null ? signal : stopAfter(minutes * MINUTE_MS, signal);
  const progress = createProgress(stderr, 'frames', () => performance.now());
  const { sent, lost } = await feedLive({
    aircraft,
    seed,
    startUs: start === null ? null : start * 1000,
    to,
    signal: end,
    onStep: (frames) => progress.update(0, 0, frames),
  });
  progress.end();
  stderr.write(`${sent.toLocaleString('en')} frames of ${aircraft} aircraft sent, ${lost.toLocaleString('en')} lost\n`);
  return EXIT_DONE;
}
