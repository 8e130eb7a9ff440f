// A service class: its topics, which tick together, and the frames of its last ticks, from which clients resume.
import { ChangeFinder } from '../../pipeline/view/changes.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { type UpdatePlan, updatePlan } from '../../pipeline/view/update-writer.ts';
import { QueryError } from '../../query-api/queries/errors.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import { limits } from '../../schemas/limits/index.ts';
import { EncoderMemory, type Steps } from '../codec/encoder.ts';
import type { Frame } from '../transport/transport.ts';
import { ByteWriter } from './byte-writer.ts';
import { type Filter, filterKey } from './filter.ts';
import { FullFrames } from './full-frames.ts';
import { ResumeFrames, type TopicDelta, type WrittenDelta } from './resume-frames.ts';
import { FilterIndex } from './select.ts';
import { Slabs } from './slabs.ts';
import { TickDelta } from './tick-delta.ts';
import { Topic } from './topic.ts';
import { Turn } from './turn.ts';

/** How often binary frames have fields that change slowly. */
const SLOW_FIELDS_MS = 10_000;

/** The deltas of one tick, in pieces that were handed over together. */
interface Tick {
  readonly seq: number;
  readonly atMs: number;
  readonly pieces: ResumeFrames[];
  bytes: number;
  /** To all subscribers together. */
  sentBytes: number;
}

export interface ClassOptions {
  readonly intervalMs: number;
  readonly flights: ReadModel['flights'];
  /** Ms of a steady clock. */
  readonly steadyMs: () => number;
  /** Number of the next topic, unique in the hub. */
  readonly nextTopicId: () => number;
  /** Beginning of the names of its streams. */
  readonly streamPrefix: string;
  /** Publishes deltas of a tick, in one or several pieces. Resolves to their bytes to all subscribers together. */
  readonly onDeltas: (deltas: readonly TopicDelta[]) => Promise<number>;
  /** Called after each tick with its bytes to all subscribers together. */
  readonly onTicked?: (sentBytes: number) => void;
}

export class ServiceClass {
  /** May change between two ticks. */
  intervalMs: number;
  readonly topics = new Map<string, Topic>();
  readonly stats = {
    ticks: 0,
    /** Snapshots at which a tick was due while the previous one was not finished. */
    overruns: 0,
    /** Duration of the last tick, ms. */
    lastTickMs: 0,
    /** Ticks whose frames were forgotten too soon, because their memory was needed for newer ones. */
    resumesForgotten: 0,
    /** Bytes of deltas to all subscribers. */
    deltaBytes: 0,
  };
  /** Number of the last tick: `seq` of its frames. */
  seq = 0;
  readonly fulls = new FullFrames(this);
  private readonly options: ClassOptions;
  private readonly finder = new ChangeFinder();
  /** Memory of all its encoders: those of another class may be in the middle of a frame. */
  private readonly memory = new EncoderMemory();
  private readonly plans = new Map<string, UpdatePlan>();
  private readonly streams = new Map<string, Topic>();
  /** Aircraft of all topics with binary frames, about. */
  private encoded = 0;
  /** The snapshot of the last tick; leased. Null while there are no topics. */
  private snapshot: Snapshot | null = null;
  private index: FilterIndex | null = null;
  private ticks: Tick[] = [];
  /** Memory for the texts of a turn. */
  private writer = new ByteWriter(0);
  /** Memory of what is kept of them. */
  private slabs = new Slabs();
  /** Bytes of the frames that are kept for clients that resume. */
  resumeBytes = 0;
  private running: Promise<void> | null = null;
  /** A full that is being written. */
  private writing: Promise<unknown> | null = null;
  private tickedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ClassOptions) {
    this.options = options;
    this.intervalMs = options.intervalMs;
  }

  get isTicking(): boolean {
    return this.running !== null;
  }

  /** The topic of a stream's name, if it is still there. */
  topicOf(stream: string): Topic | undefined {
    return this.streams.get(stream);
  }

  /** Resolves when no tick is being written. */
  async settled(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  /** The topic of a filter, created if necessary with the last tick's aircraft, or with those of `current` in a class without topics. Call when settled. Error: `push.too_many_filters`. */
  topic(filter: Filter, current: Snapshot): Topic {
    const key = filterKey(filter);
    let topic = this.topics.get(key);
    if (topic !== undefined) return topic;
    const limit = limits.pushTopicsMax;
    if (this.topics.size >= limit) throw new QueryError('push.too_many_filters', { limit });
    if (this.snapshot === null) this.begin(current);
    const id = this.options.nextTopicId();
    const stream = `${this.options.streamPrefix}${id.toString(36)}`;
    topic = new Topic(id, stream, filter, this.plan(filter), this.seq, this.index!.find(filter));
    this.topics.set(key, topic);
    this.streams.set(stream, topic);
    return topic;
  }

  /** The snapshot of the last tick. Call with a topic of this class. */
  lastTick(): Snapshot {
    return this.snapshot!;
  }

  /** The `full` of the default profile with the state of the last tick. Call when settled, with a topic of this class. */
  full(topic: Topic): Uint8Array {
    const writer = new ByteWriter();
    topic.putFull(writer, this.seq, this.snapshot!);
    return writer.bytes.subarray(0, writer.end);
  }

  /** The same as a binary frame, in steps. Errors: `push.too_many_encoded` when encoders keep too many aircraft already. */
  binaryFull(topic: Topic): Steps {
    if (topic.encoded === 0) {
      const limit = limits.pushEncodedMax;
      if (this.encoded + topic.aircraft > limit) throw new QueryError('push.too_many_encoded', { limit });
      this.encoded += topic.aircraft;
    }
    return topic.binaryFull(this.seq, this.snapshot!, this.memory);
  }

  /** The binary `full` of `fulls`, in several turns: that of 15,000 aircraft takes 150 ms. The next tick waits for it. Call as `fulls.of`. */
  async binaryFullInTurns(topic: Topic): Promise<Frame> {
    const full = this.fulls.inTurns(topic, new Turn(this.options.steadyMs));
    this.writing = full.catch(() => {});
    return full.finally(() => (this.writing = null));
  }

  /** The deltas after a tick, oldest first; null when some are no longer kept. Call when settled. */
  since(topic: Topic, seq: number): readonly TopicDelta[] | null {
    if (!Number.isInteger(seq) || seq < topic.firstSeq || seq > this.seq) return null;
    const deltas: TopicDelta[] = [];
    for (const tick of this.ticks) {
      if (tick.seq <= seq) continue;
      for (const piece of tick.pieces) {
        const delta = piece.delta(topic, tick.seq);
        if (delta !== null) deltas.push(delta);
      }
    }
    return deltas.length === this.seq - seq ? deltas : null;
  }

  /** Drops a topic without subscribers. */
  drop({ filter, stream }: Topic): void {
    this.topics.delete(filterKey(filter));
    this.streams.delete(stream);
  }

  /** Takes a snapshot; ticks if an interval of event time has begun since the last tick, or, with `isLate`, in any case. */
  onSnapshot(snapshot: Snapshot, isLate = false): void {
    if (this.snapshot === null) return;
    const interval = (at: Snapshot): number => Math.floor(at.times.nowMs / this.intervalMs);
    if (!isLate && interval(snapshot) <= interval(this.snapshot)) return;
    if (this.running !== null) {
      this.stats.overruns += 1;
      return;
    }
    this.dropEmpty();
    if (this.topics.size === 0) this.release();
    else this.running = this.tick(this.snapshot, snapshot).finally(() => (this.running = null));
  }

  /** True when the last tick is longer ago than an interval and some slack: then heartbeats are due although no snapshot came. */
  isLate(): boolean {
    return this.snapshot !== null && this.options.steadyMs() - this.tickedAtMs > this.intervalMs + limits.pushLateMs;
  }

  /** Releases what it holds. */
  release(): void {
    this.snapshot?.release();
    this.snapshot = null;
    this.index = null;
    this.ticks = [];
    this.resumeBytes = 0;
    this.fulls.clear();
    this.writer = new ByteWriter(0);
    this.slabs = new Slabs();
  }

  private begin(snapshot: Snapshot): void {
    snapshot.retain();
    this.seq += 1;
    this.snapshot = snapshot;
    this.index = new FilterIndex(snapshot, this.options.flights);
    this.tickedAtMs = this.options.steadyMs();
  }

  private plan({ members }: Filter): UpdatePlan {
    const key = members?.join() ?? '*';
    let plan = this.plans.get(key);
    if (plan === undefined) {
      plan = updatePlan(members === null ? null : new Set(members));
      this.plans.set(key, plan);
    }
    return plan;
  }

  private async tick(previous: Snapshot, current: Snapshot): Promise<void> {
    current.retain();
    if (this.writing !== null) await this.writing;
    const { steadyMs } = this.options;
    const startMs = steadyMs();
    this.seq += 1;
    const tick: Tick = { seq: this.seq, atMs: startMs, pieces: [], bytes: 0, sentBytes: 0 };
    const delta = new TickDelta(previous, current, this.finder);
    const index = new FilterIndex(current, this.options.flights);
    const seen = new Uint8Array(previous.listing.count);
    const sinceMs = startMs - this.resumeMs;
    this.encoded = 0;
    const slowFrames = Math.max(1, Math.round(SLOW_FIELDS_MS / this.intervalMs));
    const turn = new Turn(steadyMs);
    const { writer } = this;
    let written: WrittenDelta[] = [];
    for (const topic of [...this.topics.values()]) {
      const found = index.find(topic.filter);
      const text = topic.isNeeded('text', sinceMs) ? topic.putDelta(writer, tick.seq, delta, found, seen) : null;
      topic.setMembers(found, delta, seen);
      if (!topic.isNeeded('binary', sinceMs)) topic.stopEncoding();
      this.encoded += topic.encoded;
      const steps = topic.binaryDelta(tick.seq, current, slowFrames);
      written.push({ topic, text, binary: steps === null ? null : await turn.finish(steps) });
      if (!turn.isOver && writer.end < limits.pushPieceBytesMax) continue;
      await turn.next();
      await this.hand(tick, written);
      turn.begin();
      written = [];
    }
    await this.hand(tick, written);
    this.snapshot = current;
    this.index = index;
    previous.release();
    this.tickedAtMs = steadyMs();
    this.stats.ticks += 1;
    this.stats.lastTickMs = this.tickedAtMs - startMs;
    this.store(tick);
    this.stats.deltaBytes += tick.sentBytes;
    this.options.onTicked?.(tick.sentBytes);
  }

  /** Hands over deltas of a tick, and empties the writer. */
  private async hand(tick: Tick, written: readonly WrittenDelta[]): Promise<void> {
    const { writer } = this;
    const piece = new ResumeFrames(written, writer.bytes.subarray(0, writer.end), this.slabs);
    writer.end = 0;
    tick.pieces.push(piece);
    tick.bytes += piece.bytes;
    tick.sentBytes += await this.options.onDeltas(written.map(({ topic }) => piece.delta(topic, tick.seq)!));
  }

  private store(tick: Tick): void {
    this.ticks.push(tick);
    this.resumeBytes += tick.bytes;
    const isOld = ({ atMs }: Tick, n: number): boolean =>
      this.ticks.length - n > limits.pushResumeTicksMin && tick.atMs - atMs > limits.pushResumeMsMin;
    while (this.ticks.length > 0 && (isOld(this.ticks[0]!, 0) || this.resumeBytes > limits.pushResumeBytesMax)) {
      if (!isOld(this.ticks[0]!, 0)) this.stats.resumesForgotten += 1;
      this.resumeBytes -= this.ticks.shift()!.bytes;
    }
  }

  /** For how long clients may resume. */
  private get resumeMs(): number {
    return Math.max(limits.pushResumeMsMin, limits.pushResumeTicksMin * this.intervalMs);
  }

  /** Drops topics without subscribers that no client can resume. */
  private dropEmpty(): void {
    const sinceMs = this.options.steadyMs() - this.resumeMs;
    for (const topic of this.topics.values())
      if (topic.follower === null && !topic.isNeeded('text', sinceMs) && !topic.isNeeded('binary', sinceMs)) this.drop(topic);
    if (this.plans.size > limits.pushTopicsMax) this.plans.clear();
  }
}
