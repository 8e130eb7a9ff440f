// `squitter simulate`: writes simulated traffic to a Beast file, or feeds services in real time.
import { once } from 'node:events';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { BEAST_TICKS_PER_US, BeastWriter } from '../ingest/beast-writer.ts';
import { defineCommand, EXIT_DONE, EXIT_FAILED } from '../runtime/command.ts';
import {
  type Endpoint,
  flagOption,
  integerBetween,
  numberBetween,
  type OptionValues,
  parseEndpoint,
  parseTime,
} from '../runtime/options.ts';
import { createProgress } from '../runtime/progress.ts';
import { stopAfter } from '../runtime/waiting.ts';
import { feedLive } from './live-feed.ts';
import { createTraffic, type Traffic } from './traffic.ts';

const STEP_US = 50_000;
const MINUTE_MS = 60_000;
const MINUTE_US = 60_000_000;
const FILE_MINUTES = 1;
const ALL_RECEIVERS = -1;

const options = {
  aircraft: flagOption(
    'aircraft',
    'N',
    `number of aircraft, 1 to ${limits.simulatedAircraftMax}`,
    integerBetween(1, limits.simulatedAircraftMax),
    200,
  ),
  minutes: flagOption(
    'minutes',
    'M',
    `duration; fractions are allowed (${FILE_MINUTES} for a file, unlimited for --to)`,
    numberBetween(0, 10_080),
  ),
  seed: flagOption('seed', 'S', 'seed of the flights', integerBetween(0, 0xffff_ffff), 1),
  out: { flag: 'out', value: 'FILE', help: 'output file; - is standard output', fallback: '' },
  to: { ...flagOption('to', 'HOST:PORT', 'running service to feed', parseEndpoint), repeatable: true, fallback: [] as Endpoint[] },
  start: flagOption('start', 'TIME', 'with --to: ISO time at which the traffic began; it continues from there (default now)', parseTime),
  receiver: flagOption('receiver', 'I', 'only the frames of receiver I, from 0', integerBetween(0, 65_535)),
} as const;

export const simulateCommand = defineCommand({
  name: 'simulate',
  summary: 'simulate traffic: to a Beast file, or live to services',
  details: [
    'Flights between real airports, received by several receivers. The same flags give the same bytes.',
    'Counters count 12 MHz ticks from the start, so `squitter fold` restores the event times. Frames of several receivers are in one file in',
    "order of arrival, each run after readsb's receiver id message (0x1a 0xe3); --receiver selects one receiver and writes none.",
    'With --to the traffic runs in real time until interrupted; each service is fed by a part of the receivers.',
  ].join('\n'),
  examples: [
    'squitter simulate --aircraft 500 --minutes 10 --seed 1 --out traffic.beast',
    'squitter simulate --aircraft 20000 --minutes 1 --out - | gzip > traffic.beast.gz',
    'squitter simulate --aircraft 50 --receiver 0 --out schiphol.beast',
    'squitter simulate --aircraft 500 --to 127.0.0.1:30004,127.0.0.1:30005',
  ],
  options,
  async run({ options, stdout, stderr, signal }) {
    if (options.to.length > 0) return flyInto(options, stderr, signal);
    if (options.out === '') throw new SquitterError('usage.missing_argument', { argument: '--out FILE' });
    const traffic = createTraffic({ aircraft: options.aircraft, seed: options.seed, startUs: 0 });
    const receiver = options.receiver ?? ALL_RECEIVERS;
    if (receiver >= traffic.receivers.length) {
      const detail = `expected a receiver from 0 to ${traffic.receivers.length - 1}`;
      throw new SquitterError('usage.bad_value', { flag: '--receiver', value: receiver, detail });
    }
    const endUs = Math.round((options.minutes ?? FILE_MINUTES) * MINUTE_US);
    const progress = createProgress(stderr, 'frames', () => performance.now());
    const onStep = (atUs: number, frames: number): void => progress.update(atUs, endUs, frames);
    const simulation = { traffic, endUs, receiver, signal, onStep };
    let done: Written;
    try {
      const toStream = (bytes: Uint8Array): unknown => stdout.write(bytes) || once(stdout, 'drain');
      done = options.out === '-' ? await writeTraffic(simulation, toStream) : await writeFile(options.out, simulation);
    } finally {
      progress.end();
    }
    if (signal.aborted) {
      stderr.write('stopped: the incomplete file was deleted\n');
      return EXIT_FAILED;
    }
    stderr.write(`${done.frames.toLocaleString('en')} frames of ${options.aircraft} aircraft, ${done.bytes.toLocaleString('en')} bytes\n`);
    return EXIT_DONE;
  },
});

/** Simulates in real time and feeds services: until interrupted, or for a number of minutes. */
async function flyInto(
  { aircraft, seed, minutes, start, to, out }: OptionValues<typeof options>,
  stderr: Writable,
  signal: AbortSignal,
): Promise<number> {
  if (out !== '') throw new SquitterError('usage.bad_value', { flag: '--out', value: out, detail: '--to is also given' });
  const end = minutes === null ? signal : stopAfter(minutes * MINUTE_MS, signal);
  const progress = createProgress(stderr, 'frames', () => performance.now());
  const onStep = (frames: number): void => progress.update(0, 0, frames);
  const startUs = start === null ? null : start * 1000;
  const { sent, lost } = await feedLive({ aircraft, seed, startUs, to, signal: end, onStep });
  progress.end();
  stderr.write(`${sent.toLocaleString('en')} frames of ${aircraft} aircraft sent, ${lost.toLocaleString('en')} lost\n`);
  return EXIT_DONE;
}

interface Simulation {
  readonly traffic: Traffic;
  readonly endUs: number;
  readonly receiver: number;
  readonly signal: AbortSignal;
  readonly onStep: (atUs: number, frames: number) => void;
}

interface Written {
  bytes: number;
  frames: number;
}

/** Writes the Beast stream of simulated traffic, piece by piece. */
async function writeTraffic(
  { traffic, endUs, receiver, signal, onStep }: Simulation,
  write: (bytes: Uint8Array) => unknown,
): Promise<Written> {
  const writer = new BeastWriter(Number.POSITIVE_INFINITY);
  const written: Written = { bytes: 0, frames: 0 };
  let named = ALL_RECEIVERS;
  for (let atUs = STEP_US; atUs < endUs + STEP_US && !signal.aborted; atUs += STEP_US) {
    const toUs = Math.min(atUs, endUs);
    traffic.advance(traffic.startUs + toUs, (frame) => {
      if (receiver !== ALL_RECEIVERS && frame.receiver !== receiver) return;
      if (receiver === ALL_RECEIVERS && frame.receiver !== named) {
        named = frame.receiver;
        writer.addReceiver(traffic.receivers[named]!.id);
      }
      // One counter for all receivers, from the start: a file has no other clock. 0 would mean no counter.
      frame.counter = Math.max(1, Math.round((frame.timeUs - traffic.startUs) * BEAST_TICKS_PER_US));
      writer.add(frame);
      written.frames += 1;
    });
    onStep(toUs, written.frames);
    const bytes = writer.takeBytes();
    written.bytes += bytes.length;
    await write(bytes);
  }
  return written;
}

/** Writes under a temporary name until complete: a file with its final name is whole. */
async function writeFile(path: string, simulation: Simulation): Promise<Written> {
  const partial = `${path}.partial`;
  let file: FileHandle | null = null;
  try {
    file = await open(partial, 'w');
    const written = await writeTraffic(simulation, (bytes) => file!.writeFile(bytes));
    await file.close();
    if (simulation.signal.aborted) await rm(partial, { force: true });
    else await rename(partial, path);
    return written;
  } catch (error) {
    await file?.close().catch(() => {});
    if (file !== null) await rm(partial, { force: true });
    throw new SquitterError('output.not_writable', { path, detail: (error as Error).message }, error);
  }
}
