// A topic: one filter of one service class. Writes its frames: `full`, the state at the last tick, and `delta`, what a tick changed.

import { keyHex } from '../../pipeline/aircraft/hex-key.ts';
import { OBJECT_BYTES } from '../../pipeline/view/render.ts';
import { type Snapshot, seconds } from '../../pipeline/view/snapshot.ts';
import { type UpdatePlan, UpdateWriter } from '../../pipeline/view/update-writer.ts';
import { AircraftEncoder, type EncoderMemory, type Steps } from '../codec/encoder.ts';
import type { ByteWriter, Span } from './byte-writer.ts';
import { type Encoding, encodings, type FrameKind, kindOf, plainHead } from './encodings.ts';
import type { Filter } from './filter.ts';
import { lowerBound } from './select.ts';
import type { TickDelta } from './tick-delta.ts';

const COMMA = 0x2c;

/** Changes of a topic in a tick. */
export interface TopicChanges {
  readonly current: Snapshot;
  /** Aircraft that came or have an update of the plan, as numbers in the newer listing. */
  readonly changed: Int32Array;
  /** Addresses of the aircraft that left. */
  readonly removed: readonly string[];
}

export class Topic {
  readonly id: number;
  /** Name of its stream, unique among processes. */
  readonly stream: string;
  readonly filter: Filter;
  readonly plan: UpdatePlan;
  /** Subscribers now, by encoding. */
  readonly subscribers: Record<Encoding, number> = { plain: 0, named: 0, events: 0, binary: 0 };
  /** By the hub's clock, when the last one of text frames, and of binary ones, left. */
  readonly leftMs: Record<FrameKind, number> = { text: Number.NEGATIVE_INFINITY, binary: Number.NEGATIVE_INFINITY };
  /** The tick of its first `full`: nothing before it can be resumed. */
  readonly firstSeq: number;
  /** Called at each tick, for protocols with messages of their own; `changes` may be called at once only. A topic with a follower stays. */
  follower: ((changes: () => TopicChanges) => void) | null = null;
  /** Its aircraft at the last tick, as numbers in the listing of that tick, ascending. */
  members: Int32Array;
  /** Null before the first subscriber of binary frames. */
  private encoder: AircraftEncoder | null = null;

  constructor(id: number, stream: string, filter: Filter, plan: UpdatePlan, firstSeq: number, members: Int32Array) {
    this.id = id;
    this.stream = stream;
    this.filter = filter;
    this.plan = plan;
    this.firstSeq = firstSeq;
    this.members = members;
  }

  /** True when somebody gets these frames, or left at this time or later and may resume. */
  isNeeded(kind: FrameKind, sinceMs: number): boolean {
    return this.leftMs[kind] >= sinceMs || encodings.some((encoding) => kindOf(encoding) === kind && this.subscribers[encoding] > 0);
  }

  /** Aircraft of which binary frames keep what they sent. */
  get encoded(): number {
    return this.encoder === null ? 0 : this.members.length;
  }

  get aircraft(): number {
    return this.members.length;
  }

  /** Writes the `full` of the default profile: the topic at the last tick, whose snapshot this is. */
  putFull(writer: ByteWriter, seq: number, snapshot: Snapshot): void {
    writer.putText(`${plainHead('full')}"seq":${seq},"now":${seconds(snapshot.times.nowMs)},"ac":[`);
    const whole = this.wholeWriter(writer, snapshot);
    this.members.forEach((i, n) => {
      if (n > 0) writer.putByte(COMMA);
      whole(i);
    });
    writer.putText(']}');
  }

  /**
   * Writes the `delta` of the default profile: `found` are the topic's aircraft in the newer listing. `take` them afterwards.
   * `seen` has as many entries as the older listing, all 0, and is left so.
   */
  putDelta(writer: ByteWriter, seq: number, delta: TickDelta, found: Int32Array, seen: Uint8Array): Span {
    for (const old of this.members) seen[old] = 1;
    const start = writer.end;
    writer.putText(`${plainHead('delta')}"seq":${seq},"now":${seconds(delta.current.times.nowMs)},"new":[`);
    this.putNew(writer, delta, found, seen);
    writer.putText('],"update":[');
    this.putUpdates(writer, delta, found, seen);
    writer.putText('],"remove":[');
    this.putRemoved(writer, delta, found, seen);
    writer.putText(']}');
    return { start, end: writer.end };
  }

  /** Takes a tick with these aircraft in its listing. `seen` is as for `putDelta`. */
  setMembers(found: Int32Array, delta: TickDelta, seen: Uint8Array): void {
    this.follower?.(() => this.changes(delta, found, seen));
    this.members = found;
  }

  /** The binary `full` of the last tick, whose snapshot this is, in steps. The first one begins to write binary frames. */
  *binaryFull(seq: number, { listing, times }: Snapshot, memory: EncoderMemory): Steps {
    if (this.encoder === null) {
      const { members } = this.filter;
      const options = { stream: this.stream, memory };
      this.encoder = new AircraftEncoder(members === null ? options : { ...options, members: new Set(members) });
      yield* this.encoder.begin(seq, times.nowMs, listing, this.members);
    }
    return yield* this.encoder.fullSteps();
  }

  /** The binary frame of the tick that was taken, in steps; null when none are written. Fields that change slowly are in one of `slowFrames` frames. */
  binaryDelta(seq: number, { listing, times }: Snapshot, slowFrames: number): Steps | null {
    if (this.encoder === null) return null;
    this.encoder.slowFrames = slowFrames;
    return this.encoder.deltaSteps(seq, times.nowMs, listing, this.members);
  }

  /** Writes no more binary frames. A tick without one is between the old encoder's frames and those of the next one, so no client resumes across them. */
  stopEncoding(): void {
    this.encoder = null;
  }

  private changes(delta: TickDelta, found: Int32Array, seen: Uint8Array): TopicChanges {
    for (const old of this.members) seen[old] = 1;
    const changed = found.filter((i) => {
      const old = delta.olds[i]!;
      return old < 0 || seen[old] === 0 || delta.hasUpdate(this.plan, i);
    });
    return { current: delta.current, changed, removed: this.left(delta, found, seen) };
  }

  private putNew(writer: ByteWriter, { olds, current }: TickDelta, found: Int32Array, seen: Uint8Array): void {
    const whole = this.wholeWriter(writer, current);
    let count = 0;
    for (const i of found) {
      const old = olds[i]!;
      if (old >= 0 && seen[old] === 1) continue;
      if (count > 0) writer.putByte(COMMA);
      whole(i);
      count += 1;
    }
  }

  private putUpdates(writer: ByteWriter, delta: TickDelta, found: Int32Array, seen: Uint8Array): void {
    let count = 0;
    for (const i of found) {
      const old = delta.olds[i]!;
      if (old < 0 || seen[old] === 0) continue;
      const at = writer.end;
      if (count > 0) writer.putByte(COMMA);
      if (delta.putUpdate(writer, this.plan, i)) count += 1;
      else writer.end = at;
    }
  }

  private putRemoved(writer: ByteWriter, delta: TickDelta, found: Int32Array, seen: Uint8Array): void {
    const left = this.left(delta, found, seen);
    if (left.length > 0) writer.putText(`"${left.join('","')}"`);
  }

  /** Addresses of the aircraft that left. Clears `seen`. */
  private left({ olds, moved, previous }: TickDelta, found: Int32Array, seen: Uint8Array): string[] {
    for (const i of found) if (olds[i]! >= 0) seen[olds[i]!] = 0;
    for (const [old, i] of moved) if (found[lowerBound(found, i)] === i) seen[old] = 0;
    const left: string[] = [];
    for (const old of this.members) {
      if (seen[old] === 0) continue;
      seen[old] = 0;
      left.push(keyHex(previous.listing.columns.key[old]!));
    }
    return left;
  }

  /** Writes a whole object of the plan's members. */
  private wholeWriter(writer: ByteWriter, snapshot: Snapshot): (i: number) => void {
    const { plan } = this;
    if (this.filter.members === null) {
      const { bytes, starts, ends } = snapshot.objects;
      return (i) => writer.putBytes(bytes, starts[i]!, ends[i]!);
    }
    const objects = new UpdateWriter(snapshot.listing, snapshot.times.nowMs, null, writer);
    return (i) => {
      writer.reserve(OBJECT_BYTES);
      writer.end = objects.putObject(writer.end, plan, i);
    };
  }
}

/** Number of the channel with the topic's frames in an encoding. */
export function channelOf({ id }: Topic, encoding: Encoding): number {
  return id * encodings.length + encodings.indexOf(encoding);
}
