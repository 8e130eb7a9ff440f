// Simulated traffic in real time, as receivers that feed services over TCP. Each receiver sends to one service, so duplicates of a frame
// arrive through several. A closed connection is opened again; frames in between are lost, as with a real receiver.
import { connect, type Socket } from 'node:net';
import { limits } from '../../schemas/limits/index.ts';
import { BeastWriter } from '../ingest/beast-writer.ts';
import { createEventClock } from '../ingest/event-clock.ts';
import type { Endpoint } from '../runtime/options.ts';
import { aborted } from '../runtime/waiting.ts';
import { flyInRealTime } from './real-time.ts';
import { createTraffic } from './traffic.ts';

const RECONNECT_MS = 500;

export interface LiveFeedOptions {
  readonly aircraft: number;
  readonly seed: number;
  /** Start of the traffic, µs since the Unix epoch; null: now. */
  readonly startUs: number | null;
  readonly to: readonly Endpoint[];
  readonly signal: AbortSignal;
  /** Called from time to time with the frames sent and lost. */
  readonly onStep: (sent: number, lost: number) => void;
}

export interface LiveFeedCounts {
  sent: number;
  /** Frames without a connection, or with one that is too slow. */
  lost: number;
}

/** Runs until the signal; resolves when everything is sent. */
export async function feedLive({ aircraft, seed, startUs, to, signal, onStep }: LiveFeedOptions): Promise<LiveFeedCounts> {
  const { nowUs } = createEventClock();
  const traffic = createTraffic({ aircraft, seed, startUs: startUs ?? nowUs() });
  const feeders = to.map((endpoint) => new Feeder(endpoint));
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
  await aborted(signal);
  stop();
  await Promise.all(feeders.map((feeder) => feeder.end()));
  return counts;
}

/** One connection to a service. */
class Feeder {
  readonly writer = new BeastWriter();
  private readonly endpoint: Endpoint;
  private socket: Socket | null = null;
  private timer: NodeJS.Timeout | null = null;
  private ending = false;
  private named = '';

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
    this.open();
  }

  canTake(): boolean {
    const { socket } = this;
    return socket !== null && !socket.connecting && socket.writableLength < limits.simulatedBacklogBytesMax;
  }

  /** Announces the receiver of the frames that follow. */
  name(receiver: string): void {
    if (receiver === this.named) return;
    this.named = receiver;
    this.writer.addReceiver(receiver);
  }

  send(): void {
    const bytes = this.writer.takeBytes();
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
    const socket = connect({ host: this.endpoint.host, port: this.endpoint.port, noDelay: true });
    this.socket = socket;
    // The service sends nothing to a feeder. Reading detects that it closes the connection.
    socket.resume();
    // An error is followed by 'close'.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.socket = null;
      this.writer.takeBytes();
      this.named = '';
      if (!this.ending) this.timer = setTimeout(() => this.open(), RECONNECT_MS);
    });
  }
}
