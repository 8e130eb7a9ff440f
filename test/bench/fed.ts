// Programs fed with Beast over TCP, ours and others: at full speed, or at the pace of live traffic; and what all their processes use meanwhile.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { BEAST_MESSAGE_BYTES, BeastWriter } from '../../pipeline/ingest/beast-writer.ts';
import { createReceivedFrame } from '../../schemas/packed-frame.ts';
import type { RecordedFrame } from '../golden/fold-frames.ts';
import { START_US, trafficSeconds } from '../properties/traffic.ts';
import type { RunningService } from '../support/service.ts';
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
  frames: async () =>
    (await service.json<{ messages: number }>('/v2/stats')).messages + (await service.metric('squitter_fold_rejected_total')),
});

const SIGNAL = 128;

/** Frames as Beast in pieces of equal numbers; the rest is left out. */
function beastPieces(frames: Iterable<RecordedFrame>, framesPerPiece: number): Uint8Array[] {
  const writer = new BeastWriter(framesPerPiece * BEAST_MESSAGE_BYTES);
  const pieces: Uint8Array[] = [];
  let count = 0;
  for (const { timeUs, bytes } of frames) {
    const byteLength = bytes.length === 7 ? 7 : 14;
    writer.add({ ...createReceivedFrame(bytes, 0, byteLength), timeUs, counter: 12 * (timeUs - START_US), signal: SIGNAL });
    count += 1;
    if (count % framesPerPiece === 0) pieces.push(writer.takeBytes().slice());
  }
  return pieces;
}

const FRAMES_PER_PIECE = 10_000;
/** The first frames warm up the engine; a service runs for weeks. */
const WARM_UP_FRAMES = 10_000_000;
const FRAMES = 12_000_000;
/** A slow program is fed no longer than this, twice. */
const FULL_MS_MAX = 30_000;
const POLL_MS = 100;
/** Others write their count of frames once a second: it rests when they have finished. */
const REST_MS = 2500;
/** Long enough that no aircraft jumps back to its start. */
const POSITIONS_S = 200;

/** Input at full speed: the aircraft of `frames` seem to move many times faster than they do, to every program. */
export const fullInputs = [
  {
    name: 'mixed-240',
    what: 'frames of all formats, copied to 240 aircraft (simulated without the shared data), over and over',
    frames: () => crowdedFrames(240) ?? simulatedFrames(240, 60),
  },
  { name: 'positions-15000', what: 'positions of 15000 simulated aircraft', frames: () => positionFrames(15_000, POSITIONS_S) },
].map(({ name, what, frames }) => ({
  name,
  what: `${what}, over TCP at full speed, after ${WARM_UP_FRAMES} frames`,
  pieces: () => beastPieces(frames(), FRAMES_PER_PIECE),
}));

const used = async (fed: Fed) => ({ frames: await fed.frames(), cpuS: usageOf(fed.pid).cpuS });

/** CPU time and frames of a program, once it has processed all frames that were sent to it. */
export async function usedInAll(fed: Fed) {
  let last = await used(fed);
  for (let restMs = 0; restMs < REST_MS; restMs += POLL_MS) {
    await sleep(POLL_MS);
    const now = await used(fed);
    if (now.frames === last.frames) continue;
    [last, restMs] = [now, 0];
  }
  return last;
}

/** Frames per CPU second at full speed, after the warm-up, and the number of all that were sent. */
export async function fullSpeed(fed: Fed, pieces: readonly Uint8Array[]) {
  const socket = connect(fed.port, '127.0.0.1');
  let sent = 0;
  const send = async (frames: number) => {
    const [to, end] = [sent + frames, performance.now() + FULL_MS_MAX];
    for (; sent < to && performance.now() < end; sent += FRAMES_PER_PIECE)
      if (!socket.write(pieces[(sent / FRAMES_PER_PIECE) % pieces.length]!)) await once(socket, 'drain');
    return await (sent < to ? used(fed) : usedInAll(fed));
  };
  const before = await send(WARM_UP_FRAMES);
  const after = await send(FRAMES);
  socket.destroy();
  return { rate: (after.frames - before.frames) / (after.cpuS - before.cpuS), sent };
}

export const [SETTLE_S, LIVE_S] = [30, 30];
const PIECES_PER_S = 10;

/** Simulated traffic, in order of time. */
export function liveInput(aircraft: number) {
  const traffic = trafficSeconds({ aircraft, seed: 1 });
  let sent = 0;
  const pieces = Array.from({ length: SETTLE_S + LIVE_S }, () => {
    const frames = traffic.next().value;
    const framesPerPiece = Math.floor(frames.length / PIECES_PER_S);
    sent += framesPerPiece * PIECES_PER_S;
    return beastPieces(frames, framesPerPiece).slice(0, PIECES_PER_S);
  }).flat();
  const perS = Math.round(sent / (SETTLE_S + LIVE_S));
  return { what: `${perS} frames/s of ${aircraft} simulated aircraft over TCP, ${LIVE_S} s after ${SETTLE_S} s`, sent, pieces };
}

/** Cores of a program that is fed at the pace of the traffic, and of its parts, and memory of its processes. */
export async function liveUse(fed: Fed, pieces: readonly Uint8Array[], partsOf = () => usageOf(fed.pid).parts) {
  const socket = connect(fed.port, '127.0.0.1');
  const feeding = sendPaced(socket, pieces);
  const now = () => ({ ...usageOf(fed.pid), parts: partsOf(), ms: performance.now() });
  await sleep(1000 * SETTLE_S);
  const samples = [now()];
  while (samples.length <= LIVE_S) {
    await sleep(1000);
    samples.push(now());
  }
  await feeding;
  await sleep(1000);
  socket.destroy();
  const [before, after] = [samples[0]!, samples.at(-1)!];
  const cores = (start: number, end: number): number => (1000 * (end - start)) / (after.ms - before.ms);
  return {
    cores: cores(before.cpuS, after.cpuS),
    parts: Object.entries(after.parts).map(([name, end]) => [name, cores(before.parts[name] ?? 0, end)] as const),
    megabytes: after.megabytes.map((_, process) => median(samples.map(({ megabytes }) => megabytes[process] ?? 0))),
  };
}

/** Leaves out the rest when the program is too slow. */
export async function sendPaced(socket: Socket, pieces: readonly Uint8Array[]): Promise<void> {
  const start = performance.now();
  for (const [index, piece] of pieces.entries()) {
    const nowMs = performance.now() - start;
    if (nowMs > (1000 * pieces.length) / PIECES_PER_S) return;
    await sleep(Math.max(0, (1000 * index) / PIECES_PER_S - nowMs));
    if (!socket.write(piece)) await once(socket, 'drain');
  }
}
