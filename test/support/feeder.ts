// A feeder for tests that outlives the service: sends simulated traffic as Beast in real time, and reconnects when needed.
import { connect, type Socket } from 'node:net';
import { BeastWriter } from '../../pipeline/ingest/beast-writer.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';

export interface Slice {
  readonly bytes: Uint8Array;
  readonly frames: number;
}

const SLICE_MS = 100;

/** Simulated traffic cut into pieces of 100 ms, each made when it is its turn. */
export function* simulatedSlices(aircraft: number, seconds: number, seed: number): Generator<Slice> {
  const startUs = 1_700_000_000_000_000;
  const traffic = createTraffic({ aircraft, seed, startUs });
  for (let ms = SLICE_MS; ms <= seconds * 1000; ms += SLICE_MS) {
    const writer = new BeastWriter(16 * 1024 * 1024);
    let frames = 0;
    traffic.advance(startUs + ms * 1000, (frame) => {
      writer.add(frame);
      frames += 1;
    });
    yield { bytes: writer.takeBytes().slice(), frames };
  }
}

export class PacedFeeder {
  /** Port to send to; may change while it runs. */
  target = 0;
  framesSent = 0;
  private readonly slices: Iterable<Slice>;
  private socket: Socket | null = null;
  /** Resolves when all is sent and the connection has ended. */
  done: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(slices: Iterable<Slice>) {
    this.slices = slices;
  }

  start(): void {
    this.done = this.run();
  }

  /** Stops sending; resolves when the connection has ended. */
  stop(): Promise<void> {
    this.stopped = true;
    return this.done;
  }

  private async run(): Promise<void> {
    let dueMs = performance.now();
    for (const slice of this.slices) {
      const waitMs = dueMs - performance.now();
      dueMs += SLICE_MS;
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (this.stopped) break;
      this.socket ??= this.open();
      this.socket?.write(slice.bytes);
      this.framesSent += slice.frames;
    }
    await new Promise<void>((resolve) => (this.socket === null ? resolve() : this.socket.end(() => resolve())));
  }

  private open(): Socket {
    const socket = connect(this.target, '127.0.0.1');
    const forget = (): void => {
      socket.destroy();
      if (this.socket === socket) this.socket = null;
    };
    socket.on('error', forget);
    socket.on('close', forget);
    return socket;
  }
}

/** readsb's feeder id message, the first of a connection. `uuid` has 36 characters. */
export function beastUuidMessage(uuid: string): Uint8Array {
  return Uint8Array.from([0x1a, 0xe4, ...Buffer.from(uuid, 'latin1')]);
}
