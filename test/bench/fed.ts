// Programs that are fed with Beast over TCP, ours and others: at full speed, or at the pace of live traffic; and what all their processes use meanwhile.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { BEAST_MESSAGE_BYTES, BeastWriter } from '../../pipeline/ingest/beast-writer.ts';
import { createReceivedFrame } from '../../schemas/packed-frame.ts';
import type { RecordedFrame } from '../golden/fold-frames.ts';
import { START_US, trafficSeconds } from '../properties/traffic.ts';
import { processesOf, type RunningService } from '../support/service.ts';
import { usageOf } from './children.ts';
import { crowdedFrames, positionFrames, simulatedFrames } from './frames.ts';
import { median } from './harness.ts';

/** A running program with a port for Beast. */
export interface Fed {
  readonly pid: number;
  readonly port: number;
  /** Frames that it has processed so far, or refused. */
  frames(): Promise<number>;
}

export const fedService = (service: RunningService): Fed => ({
  pid: service.child.pid!,
  port: service.listenPort,
  frames: async () => (await usageOf(service)).frames,
});

const SIGNAL = 128;
/** Frames in a piece of a Beast stream at full speed. */
const FRAMES_PER_PIECE = 10_000;

function beastOf(frames: readonly RecordedFrame[]): Uint8Array {
  const writer = new BeastWriter(frames.length * BEAST_MESSAGE_BYTES);
  for (const { timeUs, bytes } of frames) {
    const byteLength = bytes.length === 7 ? 7 : 14;
    writer.add({ ...createReceivedFrame(bytes, 0, byteLength), timeUs, counter: 12 * (timeUs - START_US), signal: SIGNAL });
  }
  return writer.takeBytes().slice();
}

function beastPieces(frames: Iterable<RecordedFrame>): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  const piece: RecordedFrame[] = [];
  for (const frame of frames) {
    piece.push(frame);
    if (piece.length === FRAMES_PER_PIECE) pieces.push(beastOf(piece.splice(0)));
  }
  return pieces;
}

/** Long enough that no aircraft jumps back to its start. */
const POSITIONS_S = 200;

/** Input at full speed, by name. */
export const fullInputs = {
  'mixed-240'() {
    const real = crowdedFrames(240);
    const what = real === null ? '240 simulated aircraft (shared data absent)' : 'real frames of all formats, copied to 240 aircraft';
    return { what: `${what}, over and over`, pieces: beastPieces(real ?? simulatedFrames(240, 60)) };
  },
  'positions-15000': () => ({
    what: '15000 simulated aircraft, a position in almost every message',
    pieces: beastPieces(positionFrames(15_000, POSITIONS_S)),
  }),
};

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** The first frames warm up the engine; a service runs for weeks. */
export const WARM_UP_FRAMES = 10_000_000;
const FRAMES = 12_000_000;
/** A program that takes fewer frames is fed no longer than this, twice. */
const FULL_MS_MAX = 15_000;
const POLL_MS = 100;
/** A program that writes its count each second has finished when the count rests for so long. */
const REST_MS = 2500;

/** Frames of a program, and the CPU seconds for them, once it has processed all that it was sent. */
async function settled(fed: Fed): Promise<{ readonly frames: number; readonly cpuS: number }> {
  let last = { frames: -1, cpuS: 0 };
  for (let since = performance.now(); performance.now() - since < REST_MS; await sleep(POLL_MS)) {
    const now = { frames: await fed.frames(), cpuS: cpuOf(fed) };
    if (now.frames === last.frames) continue;
    last = now;
    since = performance.now();
  }
  return last;
}

const cpuOf = ({ pid }: Fed): number => processesOf(pid).reduce((sum, { cpuS }) => sum + cpuS, 0);

/** Frames per CPU second at full speed, after the warm-up, and all frames that were sent. Sends the pieces over and over. */
export async function fullSpeed(fed: Fed, pieces: readonly Uint8Array[]): Promise<{ readonly rate: number; readonly sent: number }> {
  const socket = await connected(fed.port);
  let sent = 0;
  const send = async (frames: number) => {
    const end = performance.now() + FULL_MS_MAX;
    for (const to = sent + frames; sent < to && performance.now() < end; sent += FRAMES_PER_PIECE)
      if (!socket.write(pieces[(sent / FRAMES_PER_PIECE) % pieces.length]!)) await once(socket, 'drain');
    return performance.now() < end ? settled(fed) : { frames: await fed.frames(), cpuS: cpuOf(fed) };
  };
  const before = await send(WARM_UP_FRAMES);
  const after = await send(FRAMES);
  socket.destroy();
  return { rate: (after.frames - before.frames) / (after.cpuS - before.cpuS), sent };
}

export const SETTLE_S = 30;
export const LIVE_S = 30;
const PIECES_PER_S = 10;

export interface LiveInput {
  readonly aircraft: number;
  readonly frames: number;
  readonly pieces: readonly Uint8Array[];
}

/** Simulated traffic of `SETTLE_S` and `LIVE_S` in tenths of a second. */
export function liveInput(aircraft: number, seconds = SETTLE_S + LIVE_S): LiveInput {
  const traffic = trafficSeconds({ aircraft, seed: 1 });
  let frames = 0;
  const pieces = Array.from({ length: seconds }, () => {
    const second = traffic.next().value;
    frames += second.length;
    const at = (part: number): number => Math.floor((part * second.length) / PIECES_PER_S);
    return Array.from({ length: PIECES_PER_S }, (_, part) => beastOf(second.slice(at(part), at(part + 1))));
  }).flat();
  return { aircraft, frames, pieces };
}

/** Seconds that some parts of a program have worked so far, by name. */
export type Readings = Readonly<Record<string, number>>;

export interface LiveUse {
  readonly cores: number;
  /** Of each process, the program itself first. */
  readonly megabytes: readonly number[];
  /** What the readings grew by in a second. */
  readonly parts: Readings;
}

/** Cores and memory of all processes of a program that is fed at the pace of the traffic, in the second half of it. */
export async function liveUse(fed: Fed, { pieces }: LiveInput, readings = (): Readings => ({})): Promise<LiveUse> {
  const socket = await connected(fed.port);
  const feeding = sendPaced(socket, pieces);
  await sleep(1000 * SETTLE_S);
  const at = () => ({ ms: performance.now(), cpuS: cpuOf(fed), parts: readings() });
  const before = at();
  const samples: number[][] = [];
  while (samples.length < LIVE_S) {
    await sleep(1000);
    samples.push(processesOf(fed.pid).map(({ megabytes }) => megabytes));
  }
  const after = at();
  await feeding;
  await sleep(1000);
  socket.destroy();
  const perS = (now: number, then: number): number => (1000 * (now - then)) / (after.ms - before.ms);
  return {
    cores: perS(after.cpuS, before.cpuS),
    megabytes: samples[0]!.map((_, process) => median(samples.map((sample) => sample[process] ?? 0))),
    parts: Object.fromEntries(Object.entries(after.parts).map(([name, now]) => [name, perS(now, before.parts[name] ?? 0)])),
  };
}

/** Leaves out the rest when the program is too slow. */
async function sendPaced(socket: Socket, pieces: readonly Uint8Array[]): Promise<void> {
  const start = performance.now();
  const pieceMs = 1000 / PIECES_PER_S;
  for (const [index, piece] of pieces.entries()) {
    const nowMs = performance.now() - start;
    if (nowMs > pieces.length * pieceMs) return;
    await sleep(Math.max(0, index * pieceMs - nowMs));
    if (!socket.write(piece)) await once(socket, 'drain');
  }
}
