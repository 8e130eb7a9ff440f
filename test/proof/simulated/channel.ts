// The channel between simulated aircraft and the service: bit errors, feeders that repeat frames, network delays, and a multilateration
// server. Receptions are emitted in order of arrival, each with its bit errors.

import { Random } from '../../../pipeline/simulate/flights/random.ts';
import type { Traffic } from '../../../pipeline/simulate/traffic.ts';
import { FLAG_LONG, FLAG_MLAT, type ReceivedFrame, viewOf } from '../../../schemas/packed-frame.ts';
import { MultilaterationServer } from './multilateration.ts';

export interface ChannelOptions {
  readonly seed: number;
  /** Share of receptions with one wrong bit, and of those with two to four. */
  readonly oneBitShare: number;
  readonly moreBitsShare: number;
  /** Share of receptions that a second program at the same antenna sends too. */
  readonly repeatShare: number;
  /** Maximum delay of a frame in a feeder's network, ms. */
  readonly delayMsMax: number;
  readonly multilateration: boolean;
}

/** A reception of a transmission that its sender describes as `T`. */
export interface Reception<T> {
  readonly frame: ReceivedFrame;
  readonly receiverId: string;
  /** Flipped bits, from 0. */
  readonly wrongBits: readonly number[];
  readonly transmission: T;
}

/** Describes the current transmission, of the traffic or of the server. */
export interface Describe<T> {
  readonly sent: (frame: ReceivedFrame, aircraft: number, sentUs: number) => T;
  readonly multilaterated: (server: MultilaterationServer, aircraft: number, atUs: number) => T;
}

const REPEAT_DELAY_US = 250_000;
const SERVER_ID = 'multilateration';

export class Channel<T> {
  private readonly traffic: Traffic;
  private readonly options: ChannelOptions;
  private readonly describe: Describe<T>;
  private readonly random: Random;
  private readonly server: MultilaterationServer;
  /** Receptions in transit. */
  private waiting: Reception<T>[] = [];
  private last: { aircraft: number; sentUs: number; transmission: T } | null = null;
  private lastUs = 0;

  constructor(traffic: Traffic, options: ChannelOptions, describe: Describe<T>) {
    this.traffic = traffic;
    this.options = options;
    this.describe = describe;
    this.random = new Random(options.seed, 0xc4a1, 0);
    this.server = new MultilaterationServer(traffic, options.seed);
  }

  /** Emits the receptions that arrive up to `toUs`. */
  advance(toUs: number, onReception: (reception: Reception<T>) => void): void {
    const { traffic } = this;
    traffic.advance(toUs, (frame, aircraft, sentUs) => {
      if (this.last?.aircraft !== aircraft || this.last.sentUs !== sentUs)
        this.last = { aircraft, sentUs, transmission: this.describe.sent(frame, aircraft, sentUs) };
      this.send(frame, this.last.transmission);
    });
    if (this.options.multilateration) this.server.advance(toUs, (aircraft, atUs) => this.locate(aircraft, atUs));
    const order = this.waiting.sort((a, b) => a.frame.timeUs - b.frame.timeUs);
    const count = order.findIndex(({ frame }) => frame.timeUs > toUs);
    this.waiting = count < 0 ? [] : order.slice(count);
    for (const reception of count < 0 ? order : order.slice(0, count)) {
      // Event time never goes back: a server frame from before the end of the last step is emitted at its end.
      reception.frame.timeUs = this.lastUs = Math.max(this.lastUs, reception.frame.timeUs);
      onReception(reception);
    }
  }

  private send(frame: ReceivedFrame, transmission: T): void {
    const { random, options, traffic } = this;
    const { id } = traffic.receivers[frame.receiver]!;
    const timeUs = frame.timeUs + Math.floor(random.share() * 1000 * options.delayMsMax);
    const reception = this.damaged({ frame: copyOf(frame, timeUs, frame.signal), receiverId: id, wrongBits: [], transmission });
    this.waiting.push(reception);
    if (!random.chance(options.repeatShare)) return;
    // A second program has its own name and gain, and the same bit errors.
    const again = copyOf(
      reception.frame,
      timeUs + Math.floor(random.share() * REPEAT_DELAY_US),
      Math.max(1, Math.round(frame.signal * 0.8)),
    );
    this.waiting.push({ ...reception, frame: again, receiverId: `${id}-second` });
  }

  private damaged(reception: Reception<T>): Reception<T> {
    const { random, options } = this;
    const draw = random.share();
    const count = draw < options.oneBitShare ? 1 : draw < options.oneBitShare + options.moreBitsShare ? 2 + random.below(3) : 0;
    const { bytes, byteLength } = reception.frame;
    const turned = new Set<number>();
    while (turned.size < count) turned.add(random.below(8 * byteLength));
    for (const bit of turned) bytes[bit >> 3]! ^= 0x80 >> (bit & 7);
    return { ...reception, wrongBits: [...turned] };
  }

  private locate(aircraft: number, atUs: number): void {
    const { bytes } = this.server;
    const frame = copyOf({ bytes, at: 0, byteLength: 14, counter: 0, flags: FLAG_LONG | FLAG_MLAT, receiver: 0 }, atUs, 50);
    const transmission = this.describe.multilaterated(this.server, aircraft, atUs);
    this.waiting.push({ frame, receiverId: SERVER_ID, wrongBits: [], transmission });
  }
}

function copyOf(frame: Omit<ReceivedFrame, 'timeUs' | 'signal' | 'view'>, timeUs: number, signal: number): ReceivedFrame {
  const bytes = frame.bytes.slice(frame.at, frame.at + 14);
  const { counter, flags, receiver, byteLength } = frame;
  return { timeUs, counter, signal, flags, receiver, bytes, view: viewOf(bytes), at: 0, byteLength };
}
