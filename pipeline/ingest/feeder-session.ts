// One feeder connection, inbound or outbound: its parser, counts, garbage budget and identity.
import type { Socket } from 'node:net';
import type { FeederStatus } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { FeederIds } from '../feeders/feeder-ids.ts';
import type { Counters } from '../runtime/counters.ts';
import type { LogLimiter } from '../runtime/log-limiter.ts';
import { principalAddress } from '../runtime/plain-address.ts';
import type { FrameTarget } from './batcher.ts';
import { DetectingParser } from './detect.ts';
import { type FrameParser, type FrameSink, garbageSampleHex } from './frame-parser.ts';
import { RECEIVER_UNKNOWN, type ReceiverTable, receiverDigits } from './receivers.ts';

/** Logger of the ingest, compatible with pino. */
export interface IngestLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** State that all connections of one ingest share. */
export interface IngestContext {
  readonly target: FrameTarget;
  readonly receivers: ReceiverTable;
  readonly ids: FeederIds;
  /** True if a feeder, or the address that it connects from, may not connect. */
  readonly isBanned: (feeder: string, addressHash: string | null) => boolean;
  /** `bytes`, `frames`, `garbage_bytes`; the reasons of parsers and batcher; for connections `garbage_limit`, `idle`, `silent`, `connection_limit`, `address_limit`, `receiver_limit`, `late_uuid`, `banned`. */
  readonly counters: Counters;
  /** µs since the Unix epoch, monotonic: see `createEventClock`. */
  readonly nowUs: () => number;
  /** Called at the first frame of a feeder. */
  readonly onSeen: (feeder: string) => void;
  readonly onStatus: (feeder: string, status: FeederStatus) => void;
  readonly log: IngestLog;
}

export type CloseReason = 'garbage_limit' | 'idle' | 'silent' | 'banned' | 'peer' | 'shutdown';

export interface SessionOptions {
  readonly context: IngestContext;
  /** Network address of the peer. */
  readonly address: string;
  /** Id of the feeder if it sends no UUID. */
  readonly feeder: string;
  readonly idleMsMax: number;
  /** Limits log lines that many connections may cause at once. */
  readonly lines: LogLimiter;
  /** Called at the first frame; the feeder id is final from then on. */
  readonly onIdentity: (session: FeederSession) => void;
  readonly onClosed: (session: FeederSession, reason: CloseReason) => void;
}

export class FeederSession {
  feeder: string;
  readonly socket: Socket;
  /** The address that limits go by. It is never written. */
  readonly network: string;
  private readonly addressHash: string | null;
  private readonly connectedMs: number;
  /** Time of the newest frame, or of the connection if there is none; monotonic clock, ms. */
  private heardMs = performance.now();
  private readonly options: SessionOptions;
  private readonly parser: FrameParser;
  private readonly sink: FrameSink;
  /** The first 64 bits of its UUID: as a receiver, the feeder names itself by them. */
  private ownDigits: string | null = null;
  private announced = false;
  /** Receiver number of the feeder itself. */
  private ownReceiver: number;
  /** Numbers of the receivers whose frames the feeder passes on: high half of the id → low half → number. */
  private readonly passedOn = new Map<number, Map<number, number>>();
  private passedOnCount = 0;
  /** Used part of the garbage budget, bytes. */
  private garbageSpent = 0;
  private closeReason: CloseReason = 'peer';

  constructor(socket: Socket, options: SessionOptions) {
    const { context } = options;
    this.socket = socket;
    this.options = options;
    this.network = principalAddress(options.address);
    this.addressHash = context.ids.addressHash(options.address);
    this.feeder = options.feeder;
    this.connectedMs = Math.floor(context.nowUs() / 1000);
    this.ownReceiver = context.receivers.acquire(this.feeder);
    this.parser = new DetectingParser({
      counters: context.counters,
      formats: ['beast', 'avr'],
      fallback: 'beast',
      onReceiver: (high, low) => this.passedOnReceiver(high, low),
      onUuid: (uuid) => this.identify(uuid),
    });
    this.parser.receiver = this.ownReceiver;
    this.sink = { frame: (frame) => context.target.add(frame) };
    socket.setKeepAlive(true, limits.feederStatusMs);
    socket.setTimeout(options.idleMsMax);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('timeout', () => {
      if (!socket.isPaused()) this.close('idle');
    });
    // 'close' follows every error, and the feeder reconnects: the kind of error does not matter.
    socket.on('error', () => undefined);
    socket.on('close', () => this.closed());
    this.closeIfBanned();
  }

  status(state: FeederStatus['state']): FeederStatus {
    const { frames, bytes, garbageBytes } = this.parser.stats;
    const timeMs = Math.floor(this.options.context.nowUs() / 1000);
    const { connectedMs, addressHash } = this;
    return { timeMs, connectedMs, state, format: this.parser.format, frames, bytes, garbageBytes, addressHash };
  }

  get frames(): number {
    return this.parser.stats.frames;
  }

  /** Time since the last frame, ms; 0 while this session does not read the socket. */
  silentMs(nowMs: number): number {
    return this.socket.isPaused() ? 0 : nowMs - this.heardMs;
  }

  close(reason: CloseReason): void {
    if (this.socket.destroyed) return;
    this.closeReason = reason;
    this.socket.destroy();
  }

  /** Ends the connection of a banned feeder: nothing that it sends counts from here on. */
  closeIfBanned(): void {
    const { context } = this.options;
    if (this.socket.destroyed || !context.isBanned(this.feeder, this.addressHash)) return;
    context.counters.add('banned' satisfies CloseReason);
    this.sink.frame = () => undefined;
    this.close('banned');
  }

  private receive(chunk: Buffer): void {
    const { socket, options } = this;
    const { context } = options;
    const before = this.parser.stats;
    const framesBefore = before.frames;
    const garbageBefore = before.garbageBytes;
    this.parser.push(chunk, context.nowUs(), this.sink);
    if (this.closeReason === 'banned') return;
    // Read again: the stats object changes when the parser detects its format.
    const { stats } = this.parser;
    const frames = stats.frames - framesBefore;
    const garbage = stats.garbageBytes - garbageBefore;
    context.counters.add('bytes', chunk.length);
    if (frames > 0) {
      this.heardMs = performance.now();
      context.counters.add('frames', frames);
    }
    if (garbage > 0) context.counters.add('garbage_bytes', garbage);
    // Only after the first frame: a connection that has sent nothing but its UUID is not a feeder yet.
    if (!this.announced && stats.frames > 0) {
      this.announced = true;
      this.options.onIdentity(this);
    }
    this.spendGarbage(garbage, frames);
    if (context.target.congested && !socket.isPaused()) {
      socket.pause();
      void context.target.whenClear().then(() => {
        this.heardMs = performance.now();
        socket.resume();
      });
    }
  }

  private spendGarbage(garbage: number, frames: number): void {
    this.garbageSpent = Math.max(0, this.garbageSpent + garbage - frames * limits.garbageRepaidPerFrameBytes);
    if (this.garbageSpent <= limits.garbageBytesMax || this.socket.destroyed) return;
    const { context } = this.options;
    context.counters.add('garbage_limit' satisfies CloseReason);
    this.options.lines.line(
      'warn',
      {
        feeder: this.feeder,
        garbageBytes: this.parser.stats.garbageBytes,
        sample: garbageSampleHex(this.parser.stats),
      },
      'feeder disconnected: it sends no frames',
    );
    this.close('garbage_limit');
  }

  /** Accepts a UUID only before the first frame: one connection is one feeder and cannot fill the topic with ids. */
  private identify(uuid: string): void {
    const { context } = this.options;
    const feeder = context.ids.ofUuid(uuid);
    if (feeder === this.feeder) return;
    if (this.announced) {
      context.counters.add('late_uuid');
      return;
    }
    const number = context.receivers.acquire(feeder);
    if (this.parser.receiver === this.ownReceiver) this.parser.receiver = number;
    context.receivers.release(this.ownReceiver);
    this.ownReceiver = number;
    this.feeder = feeder;
    this.ownDigits = uuid.replaceAll('-', '').slice(0, 16);
    this.closeIfBanned();
  }

  private passedOnReceiver(high: number, low: number): number {
    let byLow = this.passedOn.get(high);
    const known = byLow?.get(low);
    if (known !== undefined) return known;
    const { context } = this.options;
    const digits = receiverDigits(high, low);
    if (digits === this.ownDigits) return this.ownReceiver;
    if (this.passedOnCount >= limits.receiversPerFeederMax) {
      context.counters.add('receiver_limit');
      return this.ownReceiver;
    }
    const number = context.receivers.acquire(context.ids.passedOn(this.feeder, digits));
    if (number === RECEIVER_UNKNOWN) {
      context.counters.add('receiver_limit');
      return this.ownReceiver;
    }
    if (byLow === undefined) {
      byLow = new Map();
      this.passedOn.set(high, byLow);
    }
    byLow.set(low, number);
    this.passedOnCount += 1;
    return number;
  }

  private closed(): void {
    const { context } = this.options;
    this.parser.end(this.sink);
    if (this.closeReason === 'idle' || this.closeReason === 'silent') context.counters.add(this.closeReason);
    context.receivers.release(this.ownReceiver);
    for (const byLow of this.passedOn.values()) for (const number of byLow.values()) context.receivers.release(number);
    this.passedOn.clear();
    this.options.onClosed(this, this.closeReason);
  }
}
