// The whole service as a separate process, fed over TCP as fast as it accepts frames: frames per CPU second of all its threads.
// The figure includes ingest, log, decode, fold, ticks, snapshots, view and all its other work, but not this process, the feeder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BEAST_MESSAGE_BYTES_MAX, BeastWriter } from '../../pipeline/ingest/beast-writer.ts';
import { packageRoot } from '../../pipeline/runtime/package-root.ts';
import { createReceivedFrame } from '../../schemas/packed-frame.ts';
import { freePortFlags } from '../support/free-port-flags.ts';
import { type BenchFrame, crowdedFrames, positionFrames, simulatedFrames } from './frames.ts';
import { type Bench, type Figure, rateFigure } from './harness.ts';
import { holdMemory } from './held-memory.ts';

/** The first frames warm up the engine; a service runs for weeks. */
const WARM_UP_FRAMES = 10_000_000;
const FRAMES = 12_000_000;
/** Several times what the service writes to its log meanwhile. */
const HELD_BYTES = 2 * 1024 ** 3;
/** Enough that no aircraft jumps back to its start. */
const POSITIONS_S = 200;
/** The reference is slow. */
const REFERENCE_WARM_UP_FRAMES = 300_000;
const REFERENCE_FRAMES = 1_000_000;
const POLL_MS = 100;
const READY_MS_MAX = 20_000;
const SIGNAL = 128;

interface Program {
  readonly child: ChildProcess;
  readonly listenPort: number;
  /** Completely processed or refused frames, and CPU seconds of the process so far. */
  progress(): Promise<{ readonly frames: number; readonly cpuS: number }>;
  stop(): Promise<void>;
}

/** A Beast stream in pieces of this many frames. */
const FRAMES_PER_PIECE = 10_000;
type Pieces = readonly Uint8Array[];

function beastPieces(frames: Iterable<BenchFrame>): Pieces {
  const writer = new BeastWriter(FRAMES_PER_PIECE * BEAST_MESSAGE_BYTES_MAX);
  const pieces: Uint8Array[] = [];
  let count = 0;
  for (const { timeUs, bytes } of frames) {
    const byteLength = bytes.length === 7 ? 7 : 14;
    writer.add({ ...createReceivedFrame(bytes, 0, byteLength), timeUs, counter: 12 * timeUs, signal: SIGNAL });
    count += 1;
    if (count % FRAMES_PER_PIECE === 0) pieces.push(writer.take().slice());
  }
  return pieces;
}

async function startOurs(): Promise<Program> {
  const dataDir = mkdtempSync(join(tmpdir(), 'squitter-bench-'));
  const program = join(packageRoot(), 'dist/infra/cli/squitter.js');
  const child = spawn(process.execPath, [program, 'start', '--data', dataDir, '--no-simulation', ...freePortFlags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const banner = await bannerOf(child);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(banner)![0];
  const metric = (text: string, name: string): number => {
    const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  };
  return {
    child,
    listenPort: Number(/Beast\/AVR\s+\S+:(\d+)/.exec(banner)![1]),
    async progress() {
      const text = await (await fetch(`${url}/metrics`)).text();
      const { messages } = (await (await fetch(`${url}/v2/stats`)).json()) as { messages: number };
      const frames = messages + metric(text, 'squitter_fold_rejected_total');
      return { frames, cpuS: metric(text, 'process_cpu_seconds_total') };
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function startReference(): Promise<Program> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./reference/plain-service.js', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [listenPort] = (await once(child, 'message')) as [number];
  return {
    child,
    listenPort,
    async progress() {
      child.send('progress');
      const [result] = await once(child, 'message');
      return result as { frames: number; cpuS: number };
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Output of the service once it accepts frames. */
async function bannerOf(child: ChildProcess): Promise<string> {
  let text = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  for (let waitedMs = 0; waitedMs < READY_MS_MAX; waitedMs += POLL_MS) {
    if (/data\s+\S+\n/.test(text)) return text;
    if (child.exitCode !== null) break;
    await sleep(POLL_MS);
  }
  throw new Error(`the service did not start: ${text}`);
}

/** Sends pieces `from` to `to`, and starts over after the last one. */
async function feed(socket: Socket, pieces: Pieces, from: number, to: number): Promise<void> {
  for (let i = from; i < to; i += 1) if (!socket.write(pieces[i % pieces.length]!)) await once(socket, 'drain');
}

/** Frames per CPU second of a program, warm. */
async function rateOf(program: Program, pieces: Pieces, warmUpFrames: number, frames: number): Promise<number> {
  const first = Math.ceil(warmUpFrames / FRAMES_PER_PIECE);
  const end = first + Math.ceil(frames / FRAMES_PER_PIECE);
  const socket = connect(program.listenPort, '127.0.0.1');
  await once(socket, 'connect');
  const letMemoryGo = await holdMemory(HELD_BYTES);
  try {
    await feed(socket, pieces, 0, first);
    const before = await reached(program, first * FRAMES_PER_PIECE);
    await letMemoryGo();
    await feed(socket, pieces, first, end);
    const after = await reached(program, end * FRAMES_PER_PIECE);
    return ((end - first) * FRAMES_PER_PIECE) / (after - before);
  } finally {
    await letMemoryGo();
    socket.destroy();
    await program.stop();
  }
}

/** CPU seconds of the program once it has processed all these frames. */
async function reached(program: Program, frames: number): Promise<number> {
  for (;;) {
    const { frames: done, cpuS } = await program.progress();
    if (done >= frames) return cpuS;
    if (program.child.exitCode !== null) throw new Error(`the program ended with ${program.child.exitCode}`);
    await sleep(POLL_MS);
  }
}

async function figure(name: string, what: string, pieces: Pieces): Promise<Figure> {
  const ours = await rateOf(await startOurs(), pieces, WARM_UP_FRAMES, FRAMES);
  const reference = await rateOf(await startReference(), pieces, REFERENCE_WARM_UP_FRAMES, REFERENCE_FRAMES);
  const input =
    `${what}, over TCP as Beast at full speed, after ${WARM_UP_FRAMES} frames of warm-up, in memory that was in use before; ours: the whole service of npm start, log on disk included; ` +
    'reference: the plain fold in a process with a TCP socket, states as JSON each second, nothing kept';
  return rateFigure(name, 'frames/CPU-s', ours, reference, input);
}

export const serviceBench: Bench = {
  name: 'service',
  summary: 'the whole service process, fed over TCP',
  async run() {
    const real = crowdedFrames(240);
    const mixed = real ?? simulatedFrames(240, 60);
    const mixedWhat = real === null ? '240 simulated aircraft (shared data absent)' : 'real frames of all formats, copied to 240 aircraft';
    return [
      await figure('service-mixed-240', `${mixedWhat}, over and over`, beastPieces(mixed)),
      await figure(
        'service-positions-15000',
        '15000 simulated aircraft, a position in almost every message',
        beastPieces(positionFrames(15_000, POSITIONS_S)),
      ),
    ];
  },
};
