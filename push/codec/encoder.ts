// Encoder of the binary profile: what subscribers of one topic know, and the frames that bring them up to date. It keeps what it sent, so that
// fields may be sent at different rates and a full is exactly the state after the newest delta. README.md has the bytes.
import { ABSENT } from '../../schemas/absent.ts';
import { ColumnWriter } from './column-writer.ts';
import { displacement, kinds, POSITION_MS, speedAndTrack, wrap } from './decoder.ts';
import { type AircraftSource, GROUND, hasAnyPosition, type IntegerField, type WireField, wireFields } from './fields.ts';
import { packFrame } from './pack.ts';
import { Writer, zigzag } from './writer.ts';

const MICRODEG_PER_UNIT = 10;
const GROWTH = 1.25;
const STREAM_ID = /^[!-~]{1,255}$/;
const NOWHERE = -1;
/** Factor before the number of an aircraft in a sort key. */
const NUMBERS = 2 ** 24;
const VELOCITY_DECIKT = 100_000;
/** In hundredths of a degree. */
const HALF_TURN = 18_000;
const EMPTY = new Int32Array(0);
/** Frames of fewer aircraft are one step: they take less than a millisecond or two. */
const STEPPED_AIRCRAFT = 500;

/** Scratch memory of a call: encoders of one thread may share it. */
export class EncoderMemory {
  readonly body = new Writer();
  readonly column = new ColumnWriter();
  /** For each aircraft of the tick its number among those that were sent; −1 for one that is new. */
  origins = new Int32Array(0);
  /** For each aircraft of the tick its number in the source. */
  order = new Int32Array(0);
  sortKeys = new Float64Array(0);

  reserve(count: number): void {
    if (this.order.length >= count) return;
    const capacity = Math.ceil(count * GROWTH);
    this.order = new Int32Array(capacity);
    this.origins = new Int32Array(capacity);
    this.sortKeys = new Float64Array(capacity);
  }
}

export interface EncoderOptions {
  /** At most 255 ASCII characters. */
  readonly stream: string;
  /** Members to send; all if not given. */
  readonly members?: ReadonlySet<string>;
  /** A field that is not fast is in one of so many frames; 1 if not given. */
  readonly slowFrames?: number;
  /** True if not given; false for clients that cannot inflate. */
  readonly mayDeflate?: boolean;
  /** Its own if not given. */
  readonly memory?: EncoderMemory;
}

/** A frame that is being made. */
export type Steps = Generator<void, Uint8Array, void>;

type Integers = Int32Array | Float64Array;
type Texts = readonly (string | null)[];

/** Aircraft sorted by key, with what was sent of them. */
interface Table {
  count: number;
  readonly keys: Int32Array;
  /** By field, quantised; a field of texts has `texts` instead. */
  readonly integers: readonly Integers[];
  readonly texts: readonly (string | null)[][];
  /** Velocity in kt; ABSENT without speed and track. */
  readonly norths: Int32Array;
  readonly easts: Int32Array;
  /** Quantised; the time is NOWHERE without a position. */
  readonly latitudes: Int32Array;
  readonly longitudes: Int32Array;
  readonly times: Float64Array;
}

export class AircraftEncoder {
  private readonly stream: string;
  /** A field that is not fast is in one of so many frames. It may change between two frames. */
  slowFrames: number;
  private readonly mayDeflate: boolean;
  private readonly fields: readonly WireField[];
  /** Numbers of the slow fields among themselves: they are in different frames. */
  private readonly phases: readonly number[];
  private readonly speed: number;
  private readonly track: number;
  /** The values that were sent, and the memory for the next tick. */
  private sent: Table;
  private next: Table;
  private seq = 0;
  private nowMs = 0;
  private readonly memory: EncoderMemory;

  constructor({ stream, members, slowFrames = 1, mayDeflate = true, memory = new EncoderMemory() }: EncoderOptions) {
    if (!STREAM_ID.test(stream)) throw new Error(`${stream} cannot be the id of a stream`);
    this.stream = stream;
    this.slowFrames = slowFrames;
    this.mayDeflate = mayDeflate;
    this.memory = memory;
    this.fields =
      members === undefined ? wireFields : wireFields.filter(({ name, needs = [name] }) => needs.every((member) => members.has(member)));
    this.phases = this.fields.map((_, f) => this.fields.slice(0, f).filter(({ isFast }) => !isFast).length);
    this.speed = this.fields.findIndex(({ name }) => name === 'gs');
    this.track = this.fields.findIndex(({ name }) => name === 'track');
    [this.sent, this.next] = [createTable(this.fields, 0), createTable(this.fields, 0)];
  }

  /** Takes the tick before the first delta, with these aircraft of a source (numbers in its columns), in steps of a few milliseconds. */
  *begin(seq: number, nowMs: number, source: AircraftSource, indices: Int32Array): Generator<void, void, void> {
    yield* this.takeTick(seq, nowMs, source, indices);
    [this.sent, this.next] = [this.next, this.sent];
  }

  /** Takes a tick. Returns the frame with the changes since the tick before; without `begin` the first one is not sent: clients begin with a full. */
  delta(seq: number, nowMs: number, source: AircraftSource, indices: Int32Array): Uint8Array {
    return finished(this.deltaSteps(seq, nowMs, source, indices));
  }

  /** The same in steps of a few milliseconds. Nothing else may use this encoder, its memory and the source until the last one. */
  *deltaSteps(seq: number, nowMs: number, source: AircraftSource, indices: Int32Array): Steps {
    yield* this.takeTick(seq, nowMs, source, indices);
    const frame = yield* this.encode(false, this.sent, this.next, this.memory.origins);
    [this.sent, this.next] = [this.next, this.sent];
    return frame;
  }

  private *takeTick(seq: number, nowMs: number, source: AircraftSource, indices: Int32Array): Generator<void, void, void> {
    [this.seq, this.nowMs] = [seq, nowMs];
    this.memory.reserve(indices.length);
    if (this.next.keys.length < indices.length) this.next = createTable(this.fields, Math.ceil(indices.length * GROWTH));
    this.sort(source.columns['key']!, indices);
    this.match();
    for (const [f, field] of this.fields.entries()) {
      this.fill(field, f, source);
      if (indices.length >= STEPPED_AIRCRAFT) yield;
    }
  }

  /** The frame with all aircraft, as of the newest delta. */
  full(): Uint8Array {
    return finished(this.fullSteps());
  }

  /** The same in steps of a few milliseconds. Nothing else may use this encoder and its memory until the last one. */
  fullSteps(): Steps {
    return this.encode(true, createTable(this.fields, 0), this.sent, new Int32Array(this.sent.count).fill(-1));
  }

  private sort(key: Int32Array, indices: Int32Array): void {
    const { next, memory } = this;
    const sortKeys = memory.sortKeys.subarray(0, indices.length);
    for (let n = 0; n < indices.length; n += 1) sortKeys[n] = key[indices[n]!]! * NUMBERS + indices[n]!;
    sortKeys.sort();
    for (let n = 0; n < indices.length; n += 1) {
      memory.order[n] = sortKeys[n]! % NUMBERS;
      next.keys[n] = Math.floor(sortKeys[n]! / NUMBERS);
    }
    next.count = indices.length;
  }

  private match(): void {
    const { sent, next } = this;
    const { origins } = this.memory;
    let old = 0;
    for (let n = 0; n < next.count; n += 1) {
      const key = next.keys[n]!;
      while (old < sent.count && sent.keys[old]! < key) old += 1;
      origins[n] = old < sent.count && sent.keys[old] === key ? old : -1;
    }
  }

  /** Quantises a field. */
  private fill(field: WireField, f: number, source: AircraftSource): void {
    const { sent, next, nowMs } = this;
    const { origins, order } = this.memory;
    const isDue = field.isFast || (this.phases[f]! + this.seq) % this.slowFrames === 0;
    if (field.kind === kinds.position) fillPositions(next, source, order, nowMs);
    if (field.kind === kinds.velocity) fillVelocities(next, this.speed, this.track);
    if (isOfOwnKind(field)) return;
    if ('readText' in field) {
      const [to, from] = [next.texts[f]!, sent.texts[f]!];
      for (let n = 0; n < next.count; n += 1) to[n] = isDue || origins[n]! < 0 ? field.readText(source, order[n]!) : from[origins[n]!]!;
      return;
    }
    const [to, from] = [next.integers[f]!, sent.integers[f]!];
    const { read, step } = field;
    const column = field.column === undefined ? undefined : source.columns[field.column]!;
    for (let n = 0; n < next.count; n += 1) {
      if (!isDue && origins[n]! >= 0) {
        to[n] = from[origins[n]!]!;
        continue;
      }
      const value = column === undefined ? read(source, order[n]!, nowMs) : column[order[n]!]!;
      to[n] = value === ABSENT || step === 1 ? value : Math.round(value / step);
    }
  }

  private *encode(isFull: boolean, before: Table, after: Table, origins: Int32Array): Steps {
    const { fields, stream, seq, nowMs, mayDeflate } = this;
    const { body, column } = this.memory;
    const sections: number[] = [];
    body.clear();
    if (isFull) writeFields(body, fields);
    writeAircraft(body, before, after, origins);
    const isStepped = after.count >= STEPPED_AIRCRAFT;
    for (const [f, field] of fields.entries()) {
      column.clear();
      if (field.kind === kinds.position) putPositions(column, before, after, origins, Math.floor(nowMs / POSITION_MS));
      else if (field.kind === kinds.velocity) putVelocities(column, before, after, origins);
      else if ('readText' in field) putTexts(column, before.texts[f]!, after.texts[f]!, after.count, origins);
      else putIntegers(column, field, before.integers[f]!, after.integers[f]!, after.count, origins);
      column.writeTo(body, f, sections);
      if (isStepped) yield;
    }
    return yield* packFrame({ isFull, stream, seq, nowMs, mayDeflate }, body.written(), sections, isStepped);
  }
}

/** All steps at once. */
export function finished<Result>(steps: Generator<void, Result, void>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function putPositions(column: ColumnWriter, before: Table, after: Table, origins: Int32Array, now: number): void {
  for (let n = 0; n < after.count; n += 1) {
    const old = origins[n]!;
    const [latitude, longitude, time] = [after.latitudes[n]!, after.longitudes[n]!, after.times[n]!];
    const wasLocated = old >= 0 && before.times[old]! !== NOWHERE;
    if (!wasLocated && time === NOWHERE) continue;
    if (wasLocated && before.times[old] === time && before.latitudes[old] === latitude && before.longitudes[old] === longitude) continue;
    column.mark(n);
    column.codes.unsigned(time === NOWHERE ? 0 : now - time + 1);
    if (time === NOWHERE) continue;
    let [fromLatitude, fromLongitude] = [0, 0];
    if (wasLocated) {
      [fromLatitude, fromLongitude] = [before.latitudes[old]!, before.longitudes[old]!];
      if (before.norths[old] !== ABSENT) {
        const [north, east] = displacement(fromLatitude, before.norths[old]!, before.easts[old]!, time - before.times[old]!);
        fromLatitude += north;
        fromLongitude += east;
      }
    }
    column.first.signed(latitude - fromLatitude);
    column.second.signed(wrap(longitude - fromLongitude));
  }
}

function putVelocities(column: ColumnWriter, before: Table, after: Table, origins: Int32Array): void {
  for (let n = 0; n < after.count; n += 1) {
    const old = origins[n]!;
    const [north, east] = [after.norths[n]!, after.easts[n]!];
    const [oldNorth, oldEast] = old < 0 ? [ABSENT, ABSENT] : [before.norths[old]!, before.easts[old]!];
    if (north === oldNorth && east === oldEast) continue;
    column.mark(n);
    column.codes.unsigned(north === ABSENT ? 0 : 1 + zigzag(north - (oldNorth === ABSENT ? 0 : oldNorth)));
    if (north !== ABSENT) column.first.signed(east - (oldEast === ABSENT ? 0 : oldEast));
  }
}

const isOfOwnKind = ({ kind }: WireField): boolean => kind === kinds.position || kind === kinds.velocity;

function createTable(fields: readonly WireField[], capacity: number): Table {
  return {
    count: 0,
    keys: new Int32Array(capacity),
    integers: fields.map((field) =>
      'readText' in field || field.kind === kinds.position
        ? EMPTY
        : 'column' in field
          ? new Int32Array(capacity)
          : new Float64Array(capacity),
    ),
    texts: fields.map((field) => ('readText' in field ? new Array<string | null>(capacity).fill(null) : [])),
    norths: new Int32Array(capacity).fill(ABSENT),
    easts: new Int32Array(capacity).fill(ABSENT),
    latitudes: new Int32Array(capacity),
    longitudes: new Int32Array(capacity),
    times: new Float64Array(capacity),
  };
}

function fillPositions(next: Table, source: AircraftSource, order: Int32Array, nowMs: number): void {
  const now = Math.floor(nowMs / POSITION_MS);
  const { latitudeMicrodeg, longitudeMicrodeg } = source.columns as { latitudeMicrodeg: Int32Array; longitudeMicrodeg: Int32Array };
  for (let n = 0; n < next.count; n += 1) {
    const i = order[n]!;
    const isLocated = hasAnyPosition(source, i);
    next.times[n] = isLocated ? Math.min(now, Math.floor(source.positionMs[i]! / POSITION_MS)) : NOWHERE;
    next.latitudes[n] = isLocated ? Math.round(latitudeMicrodeg[i]! / MICRODEG_PER_UNIT) : 0;
    next.longitudes[n] = isLocated ? wrap(Math.round(longitudeMicrodeg[i]! / MICRODEG_PER_UNIT)) : 0;
  }
}

/** Speeds and tracks that follow from whole knots are sent as these only, and not as fields of their own. */
function fillVelocities({ count, integers, norths, easts }: Table, speedField: number, trackField: number): void {
  const [speeds, tracks] = [integers[speedField]!, integers[trackField]!];
  for (let n = 0; n < count; n += 1) {
    const [speed, track] = [speeds[n]!, tracks[n]!];
    const isKnown = speed >= 0 && speed <= VELOCITY_DECIKT && track >= 0 && track <= 2 * HALF_TURN;
    const radians = (track * Math.PI) / HALF_TURN;
    norths[n] = isKnown ? Math.round((speed / 10) * Math.cos(radians)) : ABSENT;
    easts[n] = isKnown ? Math.round((speed / 10) * Math.sin(radians)) : ABSENT;
    if (!isKnown) continue;
    const shown = speedAndTrack(norths[n]!, easts[n]!);
    if (Math.round(shown[0] * 10) === speed) speeds[n] = ABSENT;
    if (Math.round(shown[1] * 100) === track) tracks[n] = ABSENT;
  }
}

function writeFields(body: Writer, fields: readonly WireField[]): void {
  body.unsigned(fields.length);
  for (const { name, kind, decimals, step } of fields) {
    body.text(name);
    for (const value of [kind, decimals, step]) body.unsigned(value);
  }
}

/** Numbers of the removed aircraft, keys of the added ones. */
function writeAircraft(body: Writer, before: Table, after: Table, origins: Int32Array): void {
  const isKept = new Uint8Array(before.count);
  const added: number[] = [];
  for (let n = 0; n < after.count; n += 1) {
    if (origins[n]! < 0) added.push(after.keys[n]!);
    else isKept[origins[n]!] = 1;
  }
  const removed: number[] = [];
  for (let i = 0; i < before.count; i += 1) if (isKept[i] === 0) removed.push(i);
  for (const numbers of [removed, added]) {
    body.unsigned(numbers.length);
    let next = 0;
    for (const number of numbers) {
      body.unsigned(number - next);
      next = number + 1;
    }
  }
}

function putIntegers(
  column: ColumnWriter,
  field: IntegerField,
  before: Integers,
  after: Integers,
  count: number,
  origins: Int32Array,
): void {
  const { kind, text } = field;
  for (let n = 0; n < count; n += 1) {
    const old = origins[n]!;
    const value = after[n]!;
    const was = old < 0 ? ABSENT : before[old]!;
    if (value === was) continue;
    if (text !== undefined) {
      const shown = value === ABSENT ? null : text(value);
      if (shown === null && old < 0) continue;
      column.mark(n);
      column.text(shown);
      continue;
    }
    column.mark(n);
    const offset = kind === kinds.altitude ? 2 : 1;
    if (value === ABSENT) column.codes.unsigned(0);
    else if (value === GROUND) column.codes.unsigned(1);
    else column.codes.unsigned(offset + zigzag(value - (was === ABSENT || was === GROUND ? 0 : was)));
  }
}

function putTexts(column: ColumnWriter, before: Texts, after: Texts, count: number, origins: Int32Array): void {
  for (let n = 0; n < count; n += 1) {
    const old = origins[n]!;
    if (after[n] === (old < 0 ? null : before[old])) continue;
    column.mark(n);
    column.text(after[n]!);
  }
}
