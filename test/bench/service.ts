// The whole service as a separate process: frames per CPU second of all its threads when it is fed as fast as it accepts them, and the cores and memory
// that it needs for live traffic.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { BEAST_MESSAGE_BYTES, BeastWriter } from '../../pipeline/ingest/beast-writer.ts';
import { createReceivedFrame } from '../../schemas/packed-frame.ts';
import type { RecordedFrame } from '../golden/fold-frames.ts';
import { START_US } from '../properties/traffic.ts';
import { type RunningService, TestProgram } from '../support/service.ts';
import { usageOf, withService } from './children.ts';
import { crowdedFrames, positionFrames, simulatedFrames } from './frames.ts';
import { type Bench, costFigure, type Figure, median, rateFigure, yardstick } from './harness.ts';

/** The first frames warm up the engine; a service runs for weeks. */
const WARM_UP_FRAMES = 10_000_000;
const FRAMES = 12_000_000;
/** Long enough that no aircraft jumps back to its start. */
const POSITIONS_S = 200;
const POLL_MS = 100;
const SIGNAL = 128;
/** A Beast stream in pieces of this many frames. */
const FRAMES_PER_PIECE = 10_000;

function beastPieces(frames: Iterable<RecordedFrame>): Uint8Array[] {
  const writer = new BeastWriter(FRAMES_PER_PIECE * BEAST_MESSAGE_BYTES);
  const pieces: Uint8Array[] = [];
  let count = 0;
  for (const { timeUs, bytes } of frames) {
    const byteLength = bytes.length === 7 ? 7 : 14;
    writer.add({ ...createReceivedFrame(bytes, 0, byteLength), timeUs, counter: 12 * (timeUs - START_US), signal: SIGNAL });
    count += 1;
    if (count % FRAMES_PER_PIECE === 0) pieces.push(writer.takeBytes().slice());
  }
  return pieces;
}

/** Sends pieces `from` to `to`, and starts over after the last one. */
async function feed(socket: Socket, pieces: readonly Uint8Array[], from: number, to: number): Promise<void> {
  for (let i = from; i < to; i += 1) if (!socket.write(pieces[i % pieces.length]!)) await once(socket, 'drain');
}

/** CPU seconds of the service once it has processed all these frames. */
async function reached(service: RunningService, frames: number): Promise<number> {
  for (;;) {
    const usage = await usageOf(service);
    if (usage.frames >= frames) return usage.cpuS;
    await sleep(POLL_MS);
  }
}

function fedFigure(name: string, what: string, frames: Iterable<RecordedFrame>): Promise<Figure> {
  const pieces = beastPieces(frames);
  const first = WARM_UP_FRAMES / FRAMES_PER_PIECE;
  const end = first + FRAMES / FRAMES_PER_PIECE;
  return withService(['--no-simulation'], async (service) => {
    const socket = connect(service.listenPort, '127.0.0.1');
    await once(socket, 'connect');
    await feed(socket, pieces, 0, first);
    const before = await reached(service, WARM_UP_FRAMES);
    await feed(socket, pieces, first, end);
    const cpuS = (await reached(service, WARM_UP_FRAMES + FRAMES)) - before;
    socket.destroy();
    const input = `${what}, over TCP as Beast at full speed, after ${WARM_UP_FRAMES} frames of warm-up, log on disk included`;
    return rateFigure(name, 'frames/CPU-s', FRAMES / cpuS, input);
  });
}

export const serviceBench: Bench = {
  name: 'service',
  summary: 'the whole service process, fed over TCP',
  async run() {
    const real = crowdedFrames(240);
    const what = real === null ? '240 simulated aircraft (shared data absent)' : 'real frames of all formats, copied to 240 aircraft';
    return [
      await fedFigure('service-mixed-240', `${what}, over and over`, real ?? simulatedFrames(240, 60)),
      await fedFigure(
        'service-positions-15000',
        '15000 simulated aircraft, a position in almost every message',
        positionFrames(15_000, POSITIONS_S),
      ),
    ];
  },
};

const SETTLE_MS = 60_000;
const LIVE_MS = 60_000;
const SAMPLES = 12;

/** Resident memory of a Node process that does nothing, MB. */
export async function bareMemory() {
  const bare = new TestProgram([process.execPath, '-e', 'setInterval(() => process.stdout.write("."), 200)']);
  await bare.match(/\./);
  const bytes = bare.residentBytes();
  await bare.kill();
  return { value: bytes / 1e6, what: 'a Node process that does nothing' };
}

async function liveFigures(aircraft: number): Promise<Figure[]> {
  return await withService(['--simulate', String(aircraft)], async (service) => {
    await sleep(SETTLE_MS);
    const before = await usageOf(service);
    const start = performance.now();
    const megabytes: number[] = [];
    for (let i = 0; i < SAMPLES; i += 1) {
      await sleep(LIVE_MS / SAMPLES);
      megabytes.push((await usageOf(service)).megabytes);
    }
    const cores = (1000 * ((await usageOf(service)).cpuS - before.cpuS)) / (performance.now() - start);
    const input = `${aircraft} simulated aircraft live with history, ${LIVE_MS / 1000} s after ${SETTLE_MS / 1000} s`;
    return [
      costFigure(`live-${aircraft}-cores`, 'cores', cores, input, {
        value: 1e7 / yardstick().value,
        what: 'ten million look-ups of a bare loop, CPU seconds',
      }),
      costFigure(`live-${aircraft}-memory`, 'MB', median(megabytes), `${input}; its process without the store`, await bareMemory()),
    ];
  });
}

export const liveBench: Bench = {
  name: 'live',
  summary: 'cores and memory of the whole service at 500 and 15,000 simulated aircraft',
  async run() {
    return [...(await liveFigures(500)), ...(await liveFigures(15_000))];
  },
};
