// Simulated traffic in real time, as receivers that feed services over TCP: each receiver sends to one of them, so copies of a frame come in
// through several. A connection that ends is made again; what it should have sent meanwhile is lost, as with a real receiver.
import { connect, type Socket } from 'node:net';
import { limits } from '../../schemas/limits.ts';
import { BeastWriter } from '../ingest/beast-writer.ts';
import { createEventClock } from '../ingest/event-clock.ts';
import type { Address } from '../runtime/options.ts';
import { flyInRealTime } from './real-time.ts';
import { createTraffic } from './traffic.ts';

const RECONNECT_MS = 500;

export interface LiveFeedOptions {
  readonly aircraft: number;
  readonly seed: number;
  /** When the traffic began, µs since the Unix epoch; null: now. */
  readonly startUs: number | null;
  readonly to: readonly Address[];
  readonly signal: AbortSignal;
  /** Told now and then: frames sent, frames lost. */
  readonly onStep: (sent: number, lost: number) => void;
}

export interface LiveFeedCounts {
  sent: number;
  /** Frames that found no connection, or one too slow. */
  lost: number;
}

/** Flies until the signal; resolves when everything sent has left. */
export async function feedLive({ aircraft, seed, startUs, to, signal, onStep }: LiveFeedOptions): Promise<LiveFeedCounts> {
  const { nowUs } = createEventClock();
  const traffic = createTraffic({ aircraft, seed, startUs: startUs ?? nowUs() });
  const feeders = to.map((address) => new Feeder(address));
  const counts: LiveFeedCounts = { sent: 0, lost: 0 };
  const stop = flyInRealTime({
    traffic,
    nowUs,
    onFrame(frame) {
      const feeder = feeders[frame.receiver % feeders.length]!;
      if (!feeder.canTake()) {
        counts.lost += 1;
        return;
      }
      feeder.name(traffic.receivers[frame.receiver]!.id);
      if (feeder.writer.add(frame)) feeder.send();
      counts.sent += 1;
    },
    onStep() {
      for (const feeder of feeders) feeder.send();
      onStep(counts.sent, counts.lost);
    },
  });
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  stop();
  await Promise.all(feeders.map((feeder) => feeder.end()));
  return counts;
}

/** One connection to a service. */
class Feeder {
  readonly writer = new BeastWriter();
  private readonly address: Address;
  private socket: Socket | null = null;
  private timer: NodeJS.Timeout | null = null;
  private ending = false;
  private named = '';

  constructor(address: Address) {
    this.address = address;
    this.open();
  }

  canTake(): boolean {
    const { socket } = this;
    return socket !== null && !socket.connecting && socket.writableLength < limits.simulatedBacklogBytesMax;
  }

  /** Whose frames follow. */
  name(receiver: string): void {
    if (receiver === this.named) return;
    this.named = receiver;
    this.writer.addReceiver(receiver);
  }

  send(): void {
    const bytes = this.writer.take();
    if (bytes.length > 0) this.socket?.write(bytes);
  }

  async end(): Promise<void> {
    this.ending = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.send();
    const { socket } = this;
    if (socket === null || socket.destroyed) return;
    await new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      socket.end();
    });
  }

  private open(): void {
    const socket = connect({ host: this.address.host, port: this.address.port, noDelay: true });
    this.socket = socket;
    // The service has nothing to say to a feeder; reading lets us see it close.
    socket.resume();
    // An error is followed by 'close'.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.socket = null;
      this.writer.take();
      this.named = '';
      if (!this.ending) this.timer = setTimeout(() => this.open(), RECONNECT_MS);
    });
  }
}
