// `squitter simulate`: writes simulated traffic to a Beast file, or feeds services in real time.
import { once } from 'node:events';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { BEAST_MESSAGE_BYTES, BEAST_TICKS_PER_US, writeBeastFrame, writeBeastReceiver } from '../ingest/beast-writer.ts';
import { defineCommand, EXIT_DONE, EXIT_FAILED } from '../runtime/command.ts';
import { type Endpoint, integerBetween, numberBetween, parseEndpoint, parseTime } from '../runtime/options.ts';
import { createProgress } from '../runtime/progress.ts';
import { flyInto } from './live-command.ts';
import { createTraffic, type Traffic } from './traffic.ts';

const STEP_US = 50_000;
const MINUTE_US = 60_000_000;
const FILE_MINUTES = 1;
const ALL_RECEIVERS = -1;
const RECEIVER_ID_BYTES = 2 * BEAST_MESSAGE_BYTES;

export const simulateCommand = defineCommand({
  name: 'simulate',
  summary: 'simulate traffic: to a Beast file, or live to services',
  words: '',
  wordsMin: 0,
  wordsMax: 0,
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
  options: {
    aircraft: {
      flag: 'aircraft',
      value: 'N',
      help: `number of aircraft, 1 to ${limits.simulatedAircraftMax}`,
      fallback: 200 as number,
      parse: integerBetween(1, limits.simulatedAircraftMax),
    },
    minutes: {
      flag: 'minutes',
      value: 'M',
      help: `duration; fractions are allowed (${FILE_MINUTES} for a file, unlimited for --to)`,
      fallback: null as number | null,
      parse: numberBetween(0, 10_080),
    },
    seed: { flag: 'seed', value: 'S', help: 'seed of the flights', fallback: 1 as number, parse: integerBetween(0, 0xffff_ffff) },
    out: { flag: 'out', value: 'FILE', help: 'output file; - is standard output', fallback: '' },
    to: {
      flag: 'to',
      value: 'HOST:PORT',
      repeatable: true,
      help: 'running service to feed',
      fallback: [] as Endpoint[],
      parse: parseEndpoint,
    },
    start: {
      flag: 'start',
      value: 'TIME',
      help: 'with --to: ISO time at which the traffic began; it continues from there (default now)',
      fallback: null as number | null,
      parse: parseTime,
    },
    receiver: {
      flag: 'receiver',
      value: 'I',
      help: 'only the frames of receiver I, from 0',
      fallback: null as number | null,
      parse: integerBetween(0, 65_535),
    },
  },
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
    const pieces = trafficPieces(traffic, endUs, receiver, signal, (atUs, frames) => progress.update(atUs, endUs, frames));
    let done: Written;
    try {
      done = options.out === '-' ? await writeStream(stdout, pieces) : await writeFile(options.out, pieces, signal);
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

interface Piece {
  readonly bytes: Uint8Array;
  /** Frames so far. */
  readonly frames: number;
}

interface Written {
  bytes: number;
  frames: number;
}

/** The Beast stream of simulated traffic, piece by piece. A piece is valid until the next one is requested. */
function* trafficPieces(
  traffic: Traffic,
  endUs: number,
  receiver: number,
  signal: AbortSignal,
  onStep: (atUs: number, frames: number) => void,
): Generator<Piece> {
  let buffer = new Uint8Array(1024 * 1024);
  let length = 0;
  let frames = 0;
  let named = ALL_RECEIVERS;
  for (let atUs = STEP_US; atUs < endUs + STEP_US && !signal.aborted; atUs += STEP_US) {
    const toUs = Math.min(atUs, endUs);
    length = 0;
    traffic.advance(traffic.startUs + toUs, (frame) => {
      if (receiver !== ALL_RECEIVERS && frame.receiver !== receiver) return;
      if (length + RECEIVER_ID_BYTES > buffer.length) buffer = grown(buffer);
      if (receiver === ALL_RECEIVERS && frame.receiver !== named) {
        named = frame.receiver;
        length = writeBeastReceiver(buffer, length, traffic.receivers[named]!.id);
      }
      // One counter for all receivers, from the start: a file has no other clock. 0 would mean no counter.
      frame.counter = Math.max(1, Math.round((frame.timeUs - traffic.startUs) * BEAST_TICKS_PER_US));
      length = writeBeastFrame(buffer, length, frame);
      frames += 1;
    });
    onStep(toUs, frames);
    yield { bytes: buffer.subarray(0, length), frames };
  }
}

function grown(buffer: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(buffer.length * 2);
  larger.set(buffer);
  return larger;
}

async function writeStream(stdout: Writable, pieces: Iterable<Piece>): Promise<Written> {
  const written: Written = { bytes: 0, frames: 0 };
  for (const piece of pieces) {
    written.bytes += piece.bytes.length;
    written.frames = piece.frames;
    // The stream may keep a piece that it cannot write at once, but the buffer is reused: pass a copy.
    if (!stdout.write(Uint8Array.from(piece.bytes))) await once(stdout, 'drain');
  }
  return written;
}

/** Writes under a temporary name until complete: a file with its final name is whole. */
async function writeFile(path: string, pieces: Iterable<Piece>, signal: AbortSignal): Promise<Written> {
  const partial = `${path}.partial`;
  const written: Written = { bytes: 0, frames: 0 };
  let file: FileHandle | null = null;
  try {
    file = await open(partial, 'w');
    for (const piece of pieces) {
      written.bytes += piece.bytes.length;
      written.frames = piece.frames;
      await file.writeFile(piece.bytes);
    }
    await file.close();
    if (signal.aborted) await rm(partial, { force: true });
    else await rename(partial, path);
    return written;
  } catch (error) {
    await file?.close().catch(() => {});
    if (file !== null) await rm(partial, { force: true });
    throw new SquitterError('output.not_writable', { path, detail: (error as Error).message }, error);
  }
}
