// Decoder of the binary profile `aircraft.v2.bin`: frames in, the objects of the JSON profile out. For browsers and Node, without imports.
// The bytes are described in push/codec/README.md; the golden files are in test/golden/push.

export const VERSION = 1;
/** First byte of a frame: the upper half is the mark of the format, the lower half its version. */
export const MARK = 0xa0 | VERSION;
export const HEADER_BYTES = 20;
/** Bounds of what a decoder accepts. */
export const BODY_BYTES_ALLOWED = 16 * 1024 * 1024;
export const AIRCRAFT_ALLOWED = 131_072;
export const FIELDS_ALLOWED = 255;
/** Deflate makes at most 1,032 bytes of one. */
const INFLATE_RATIO = 1040;

export const codecs = { raw: 0, deflate: 1 } as const;
export const kinds = { number: 0, flag: 1, altitude: 2, text: 3, json: 4, position: 5, velocity: 6, age: 7, lastPosition: 8 } as const;
/** Unit of the times of positions, ms, and positions per degree. */
export const POSITION_MS = 20;
export const PER_DEGREE = 100_000;
const NON_ICAO = 1 << 24;

/** An aircraft with the member names of `/v2`; in an update only members that changed, null for one that is gone. */
export type Members = Record<string, unknown> & { hex: string };
interface Frame {
  readonly stream: string;
  readonly seq: number;
  /** Seconds since the Unix epoch; `seen` and `seen_pos` are relative to it. */
  readonly now: number;
}
/** The same as frames of the JSON profile, except that an update has every aircraft, for its `seen`. */
export type DecodedFrame =
  | (Frame & { readonly type: 'full'; readonly ac: Members[] })
  | (Frame & { readonly type: 'delta'; readonly new: Members[]; readonly update: Members[]; readonly remove: string[] });

/** The only error of this module. `gap`: frames are missing, nothing was changed. `format`: a wrong frame; the next one must be a full. */
export class FrameError extends Error {
  readonly code: 'format' | 'gap';
  constructor(code: 'format' | 'gap', detail: string) {
    super(`frame: ${detail}`);
    this.code = code;
  }
}
const wrong = (detail: string): FrameError => new FrameError('format', detail);

export interface Header {
  readonly codec: number;
  readonly isFull: boolean;
  readonly stream: string;
  readonly seq: number;
  readonly nowMs: number;
  readonly bodyBytes: number;
  readonly bodyAt: number;
}

export function readHeader(frame: Uint8Array): Header {
  if (frame.length < HEADER_BYTES) throw wrong('shorter than its header');
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  if (frame[0] !== MARK) throw wrong(`first byte ${frame[0]}, expected ${MARK}: not a frame, or of another version`);
  const [codec, kind, streamBytes] = [frame[1]!, frame[2]!, frame[3]!];
  const [seq, nowMs, bodyBytes] = [view.getUint32(4, true), view.getFloat64(8, true), view.getUint32(16, true)];
  const bodyAt = HEADER_BYTES + streamBytes;
  if (codec > 1 || kind > 1) throw wrong(`unknown codec ${codec} or kind ${kind}`);
  if (!Number.isSafeInteger(nowMs) || nowMs < 0) throw wrong('a time that is none');
  if (bodyAt > frame.length || bodyBytes > BODY_BYTES_ALLOWED) throw wrong('lengths that cannot be');
  const packed = frame.length - bodyAt;
  if (codec === codecs.raw ? bodyBytes !== packed : bodyBytes > packed * INFLATE_RATIO) throw wrong('truncated');
  const stream = String.fromCharCode(...frame.subarray(HEADER_BYTES, bodyAt));
  return { codec, isFull: kind === 0, stream, seq, nowMs, bodyBytes, bodyAt };
}

/** The body of a frame as it was before compression. */
export async function readBody(frame: Uint8Array, { codec, bodyBytes, bodyAt }: Header): Promise<Uint8Array> {
  const packed = frame.subarray(bodyAt);
  if (codec === codecs.raw) return packed;
  const body = new Uint8Array(bodyBytes);
  let at = 0;
  try {
    const { readable, writable } = new DecompressionStream('deflate');
    const writer = writable.getWriter();
    // The reader gets the same error.
    writer.write(packed as Uint8Array<ArrayBuffer>).catch(() => {});
    writer.close().catch(() => {});
    const reader = readable.getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      if (at + value.length > bodyBytes) {
        await reader.cancel();
        throw new Error('longer than announced');
      }
      body.set(value, at);
      at += value.length;
    }
  } catch (error) {
    throw wrong(`cannot be inflated: ${error instanceof Error ? error.message : error}`);
  }
  if (at !== bodyBytes) throw wrong('shorter than announced');
  return body;
}

/** Cosine of a latitude in 1e-5 degrees, times 32,768, by Bhaskara's formula: integers only, so that every language gets the same. */
function cosine(latitude: number): number {
  const square = Math.min(900, Math.floor(Math.abs(latitude) / 10_000)) ** 2;
  return Math.floor((32_768 * (3_240_000 - 4 * square)) / (3_240_000 + square));
}
const rounded = (a: number, b: number): number => Math.floor((2 * a + b) / (2 * b));

/** Longitude from −180° to less than 180°, in 1e-5 degrees. */
export const wrap = (longitude: number): number => ((((longitude + 18_000_000) % 36_000_000) + 36_000_000) % 36_000_000) - 18_000_000;

/** How far an aircraft moves in `steps` of 20 ms at a velocity in kt, in 1e-5 degrees: 1 kt for 20 ms is 1/108 of that. */
export function displacement(latitude: number, north: number, east: number, steps: number): [north: number, east: number] {
  if (!(Math.max(Math.abs(north), Math.abs(east)) <= 10_000 && steps >= 0 && steps <= 65_535)) return [0, 0];
  return [rounded(north * steps, 108), rounded(east * steps * 32_768, 108 * Math.max(256, cosine(latitude)))];
}

/** Speed in kt with a decimal and track in degrees with two. */
export function speedAndTrack(north: number, east: number): [speed: number, track: number] {
  const centidegrees = Math.round((Math.atan2(east, north) * 18_000) / Math.PI);
  return [Math.round(Math.sqrt(north * north + east * east) * 10) / 10, ((centidegrees + 36_000) % 36_000) / 100];
}

/** Reads a body; an error at its end. */
class Reader {
  at = 0;
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
  unsigned(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const byte = this.bytes[this.at];
      if (byte === undefined) throw wrong('ends too early');
      this.at += 1;
      value += (byte & 127) * scale;
      if (byte < 128 && value <= Number.MAX_SAFE_INTEGER) return value;
    }
    throw wrong('a number that is too large');
  }
  /** Zig-zag: 0, −1, 1, −2 … */
  signed(): number {
    return unzigzag(this.unsigned());
  }
  /** A number of things that take at least a byte each. */
  count(): number {
    const count = this.unsigned();
    if (count > this.bytes.length - this.at) throw wrong('a count that is too large');
    return count;
  }
  readBytes(length: number): Uint8Array {
    if (length > this.bytes.length - this.at) throw wrong('ends too early');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  text(length = this.unsigned()): string {
    return utf8.decode(this.readBytes(length));
  }
  /** Ascending numbers below `end`, each as its distance from the one before. */
  ascending(end: number): number[] {
    const numbers: number[] = [];
    let next = 0;
    for (let count = this.count(); count > 0; count -= 1) {
      next += this.unsigned();
      if (next >= end) throw wrong('a number out of its range');
      numbers.push(next);
      next += 1;
    }
    return numbers;
  }
}
const utf8 = new TextDecoder();
const unzigzag = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);
const keyHex = (key: number): string => `${key >= NON_ICAO ? '~' : ''}${(key % NON_ICAO).toString(16).padStart(6, '0')}`;

interface Field {
  readonly name: string;
  readonly kind: number;
  /** A value is the integer × `step` / `divisor`. */
  readonly step: number;
  readonly divisor: number;
}
type Value = number | string | null | undefined;
/** The known values of an aircraft. */
interface Known {
  readonly key: number;
  readonly hex: string;
  /** By field. */
  readonly values: Value[];
  /** In kt. */
  velocity: readonly [north: number, east: number] | null;
  /** In 1e-5 degrees; the time in 20 ms since the Unix epoch. */
  position: readonly [latitude: number, longitude: number, time: number] | null;
  /** Where its object has the position. */
  shown: 'nowhere' | 'members' | 'lastPosition';
}

function readFields(reader: Reader): Field[] {
  const fields: Field[] = [];
  const count = reader.unsigned();
  if (count > FIELDS_ALLOWED) throw wrong('too many fields');
  for (let i = 0; i < count; i += 1) {
    const [name, kind, decimals, step] = [reader.text(), reader.unsigned(), reader.unsigned(), reader.unsigned()];
    if (!/^[A-Za-z]\w*$/.test(name) || decimals > 9) throw wrong('a field that cannot be');
    fields.push({ name, kind, step, divisor: Number(`1e${decimals}`) });
  }
  return fields;
}

/** Decodes the frames of one stream in their order. */
export class AircraftDecoder {
  /** The number of the newest frame; null before the first full, and after an error. */
  seq: number | null = null;
  stream = '';
  private fields: readonly Field[] = [];
  /** Numbers of the fields by name. */
  private numbers = new Map<string, number>();
  /** Sorted by key. */
  private aircraft: Known[] = [];
  private queue: Promise<unknown> = Promise.resolve();

  /** The frame as objects; null if it is older than the newest one. Frames may be given before earlier ones are decoded. */
  decode(frame: Uint8Array): Promise<DecodedFrame | null> {
    const decoded = this.queue.then(async () => {
      const header = readHeader(frame);
      return this.isNext(header) ? this.apply(header, await readBody(frame, header)) : null;
    });
    this.queue = decoded.catch(() => {});
    return decoded;
  }

  /** Applies a frame whose body the caller inflated. */
  apply(header: Header, body: Uint8Array): DecodedFrame | null {
    if (!this.isNext(header)) return null;
    this.seq = null;
    const { isFull, stream, seq, nowMs } = header;
    const reader = new Reader(body);
    if (isFull) {
      [this.fields, this.aircraft] = [readFields(reader), []];
      this.numbers = new Map(this.fields.map(({ name }, i) => [name, i]));
    }
    const gone = new Set(reader.ascending(this.aircraft.length).map((i) => this.aircraft[i]!));
    const added = new Set(reader.ascending(2 * NON_ICAO));
    if (gone.size + added.size > 0) this.merge(gone, added);
    const changes = this.aircraft.map(({ hex }): Members => ({ hex }));
    const time = Math.floor(nowMs / POSITION_MS);
    while (reader.at < body.length) this.column(reader, changes, time);
    for (const [i, known] of this.aircraft.entries()) this.locate(known, changes[i]!, time);
    [this.seq, this.stream] = [seq, stream];
    const frame = { stream, seq, now: nowMs / 1000 };
    if (isFull) return { type: 'full', ...frame, ac: changes };
    const isNew = this.aircraft.map(({ key }) => added.has(key));
    const remove = [...gone].map(({ hex }) => hex);
    return { type: 'delta', ...frame, new: changes.filter((_, i) => isNew[i]), update: changes.filter((_, i) => !isNew[i]), remove };
  }

  /** False for a repeated frame. */
  private isNext({ isFull, stream, seq }: Header): boolean {
    if (isFull) return true;
    if (this.seq === null || stream !== this.stream) throw new FrameError('gap', 'a full must come first');
    if (seq > this.seq + 1) throw new FrameError('gap', `${seq} follows ${this.seq}`);
    return seq === this.seq + 1;
  }

  private merge(gone: ReadonlySet<Known>, added: ReadonlySet<number>): void {
    const all = this.aircraft.filter((known) => !gone.has(known));
    if (all.length + added.size > AIRCRAFT_ALLOWED) throw wrong('too many aircraft');
    if (all.some(({ key }) => added.has(key))) throw wrong('an aircraft twice');
    for (const key of added) all.push({ key, hex: keyHex(key), values: [], velocity: null, position: null, shown: 'nowhere' });
    this.aircraft = all.sort((a, b) => a.key - b.key);
  }

  private column(body: Reader, changes: readonly Members[], now: number): void {
    const index = body.unsigned();
    const reader = new Reader(body.readBytes(body.unsigned()));
    const field = this.fields[index];
    if (field === undefined) throw wrong('a column without a field');
    // A field of a newer encoder: the other fields can be read without it.
    if (field.kind > kinds.lastPosition) return;
    const which = reader.ascending(this.aircraft.length);
    const codes = which.map(() => reader.unsigned());
    const known = which.map((i) => this.aircraft[i]!);
    if (field.kind === kinds.position) readPositions(reader, known, codes, now);
    else if (field.kind === kinds.velocity) readVelocities(reader, known, codes);
    else for (const [n, { values }] of known.entries()) values[index] = readValue(reader, field.kind, codes[n]!, values[index]);
    if (reader.at !== reader.bytes.length) throw wrong('a column that is too long');
    for (const [n, one] of known.entries()) this.note(field, one, changes[which[n]!]!);
  }

  /** Notes the members of a field that changed. */
  private note({ kind, name }: Field, known: Known, change: Members): void {
    if (kind === kinds.position) {
      if (known.shown === 'members' && known.position !== null) Object.assign(change, coordinates(known.position));
    } else if (kind === kinds.velocity) Object.assign(change, { gs: this.member(known, 'gs'), track: this.member(known, 'track') });
    else if (kind < kinds.position) change[name] = this.member(known, name);
  }

  /** The value of a member that is a field; null without one. Speed and track follow from the velocity, unless they have a value. */
  private member({ values, velocity }: Known, name: string): unknown {
    const number = this.numbers.get(name) ?? -1;
    const value = values[number];
    if (value !== null && value !== undefined) return shownValue(this.fields[number]!, value);
    return velocity !== null && (name === 'gs' || name === 'track') ? speedAndTrack(...velocity)[name === 'gs' ? 0 : 1] : null;
  }

  /** Ages depend on the time of the frame; the members of a position move between the object and its `lastPosition`. */
  private locate(known: Known, change: Members, now: number): void {
    const { position, shown: before } = known;
    const age = position === null ? null : ((now - position[2]) * POSITION_MS) / 1000;
    const seen = this.member(known, 'seen') as number | null;
    if (seen !== null) change['seen'] = Math.min(seen, age ?? seen);
    known.shown = position === null ? 'nowhere' : known.values[this.numbers.get('lastPosition') ?? -1] === 1 ? 'lastPosition' : 'members';
    if (known.shown === 'members') change['seen_pos'] = age;
    if (known.shown === before && before !== 'lastPosition') return;
    if (before === 'lastPosition') change['lastPosition'] = null;
    const members: Record<string, unknown> = position === null ? {} : { ...coordinates(position), seen_pos: age };
    for (const name of ['nic', 'rc']) if (this.member(known, name) !== null) members[name] = this.member(known, name);
    for (const name of MOVING) {
      if (before === 'members') change[name] = null;
      else delete change[name];
    }
    Object.assign(change, known.shown === 'members' ? members : known.shown === 'lastPosition' && { lastPosition: members });
  }
}
/** Members that are in `lastPosition` when the position is. */
const MOVING = ['lat', 'lon', 'nic', 'rc', 'seen_pos'];

const coordinates = ([lat, lon]: readonly [number, number, number]): object => ({ lat: lat / PER_DEGREE, lon: lon / PER_DEGREE });

function readPositions(reader: Reader, aircraft: readonly Known[], codes: readonly number[], now: number): void {
  const located = codes.filter((code) => code > 0);
  const latitudes = located.map(() => reader.signed());
  const longitudes = located.map(() => reader.signed());
  let n = 0;
  aircraft.forEach((known, i) => {
    const [latitude, longitude, before] = known.position ?? [0, 0, 0];
    const time = now + 1 - codes[i]!;
    const [north, east] = displacement(latitude, ...(known.position && known.velocity ? known.velocity : NO_VELOCITY), time - before);
    known.position = codes[i] === 0 ? null : [latitude + north + latitudes[n]!, wrap(longitude + east + longitudes[n]!), time];
    if (codes[i] !== 0) n += 1;
  });
}

function readVelocities(reader: Reader, aircraft: readonly Known[], codes: readonly number[]): void {
  aircraft.forEach((known, i) => {
    const [north, east] = known.velocity ?? NO_VELOCITY;
    known.velocity = codes[i] === 0 ? null : [north + unzigzag(codes[i]! - 1), east + reader.signed()];
  });
}
const NO_VELOCITY = [0, 0] as const;

function readValue(reader: Reader, kind: number, code: number, before: Value): number | string | null {
  if (code === 0) return null;
  if (kind === kinds.text || kind === kinds.json) return reader.text(code - 1);
  if (kind === kinds.altitude && code === 1) return 'ground';
  return (typeof before === 'number' ? before : 0) + unzigzag(code - (kind === kinds.altitude ? 2 : 1));
}

function shownValue({ kind, step, divisor }: Field, value: number | string): unknown {
  if (kind === kinds.json) {
    try {
      return JSON.parse(value as string);
    } catch {
      throw wrong('a text that is not JSON');
    }
  }
  if (kind === kinds.flag) return value === 1;
  return typeof value === 'number' ? (value * step) / divisor : value;
}
