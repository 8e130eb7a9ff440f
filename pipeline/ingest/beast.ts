// Beast parser: the binary format of Mode-S Beast, dump1090 and readsb, with readsb's additions.
// Sources: jetvision Mode-S Beast data output; readsb's network code.
//
//   0x1a  type  body, in which every 0x1a is doubled
//   '1'   6 counter, 1 signal,  2 Mode A/C reply     counted `mode_ac` (readsb's heartbeat is a reply of zeros)
//   '2'   6 counter, 1 signal,  7 short frame
//   '3'   6 counter, 1 signal, 14 long frame
//   '4'   status and settings, '5' Radarcape position: up to 21 bytes, ended by the next message; counted `status`
//   'P'   3 bytes (readsb ping), 'W' 1 byte (readsb command): counted `command`
//   0xe3  8 bytes: id of the receiver of the frames that follow (readsb --net-receiver-id)
//   0xe4  up to 36 characters: UUID of the feeder, sent once when a readsb feeder connects; not escaped
//   0xe8  8 bytes: event time of the frames that follow (readsb's dump files), ms since the Unix epoch, little-endian; not escaped.
//         A connection ignores it and counts `event_time`: frames of a connection have their arrival time
//
// Counter: 12 MHz, big-endian. FF 00 4D 4C 41 54 ("MLAT") instead of a counter marks a position that a server computed.
import { createReceivedFrame, FLAG_MLAT, type ReceivedFrame, viewOf } from '../../schemas/packed-frame.ts';
import type { Counters } from '../runtime/counters.ts';
import {
  addGarbage,
  addStrayBytes,
  createParserStats,
  type FrameParser,
  type FrameSink,
  type ParserReason,
  type ParserStats,
} from './frame-parser.ts';

export const BEAST_ESCAPE = 0x1a;
/** The longest message: escape, type and 21 bytes, each doubled. */
export const BEAST_MESSAGE_BYTES = 44;
/** 0xff004d4c4154. */
export const BEAST_MLAT_COUNTER = 0xff00_4d4c_4154;

const HEADER_BYTES = 7;
const BODY_BYTES = 21;
const UUID_CHARACTERS = 36;
/** readsb shortens ids to no fewer than 16 digits. */
const UUID_DIGITS = 16;

const TYPE_MODE_AC = 0x31;
const TYPE_SHORT = 0x32;
const TYPE_LONG = 0x33;
const TYPE_STATUS = 0x34;
const TYPE_POSITION = 0x35;
const TYPE_PING = 0x50;
const TYPE_COMMAND = 0x57;
const TYPE_RECEIVER = 0xe3;
const TYPE_UUID = 0xe4;
const TYPE_TIME = 0xe8;
const TIME_BYTES = 8;
/** The year 2200, the latest time that packed frames, positions and JSON can hold. */
const LATEST_TIME_MS = 7_258_118_400_000;

/** Result of `readBody` if the input ends first. No index has this value: `readBody` returns indexes of at least 2. */
const UNFINISHED = 0;

export interface BeastParserOptions {
  readonly counters: Counters;
  /** Called for a receiver id message, with the id as two 32-bit halves. Returns the receiver number of the frames that follow. */
  readonly onReceiver?: (high: number, low: number) => number;
  /** Called with the feeder's UUID: up to 36 lower-case hex digits and dashes, at least 16 of them digits. */
  readonly onUuid?: (uuid: string) => void;
  /** Called with the event time of the frames that follow, µs since the Unix epoch. */
  readonly onTime?: (timeUs: number) => void;
}

export class BeastParser implements FrameParser {
  readonly format = 'beast';
  readonly stats: ParserStats = createParserStats();
  receiver = 0;
  /** Counter, signal and frame of a message that had escapes, unescaped. A Buffer like the chunks, so that the reading code stays monomorphic. */
  private readonly body = Buffer.alloc(BODY_BYTES);
  private readonly received: ReceivedFrame = createReceivedFrame(this.body, HEADER_BYTES);
  /** An unfinished message, with room behind it for enough of the next chunk to complete it. */
  private readonly pending = Buffer.alloc(2 * BEAST_MESSAGE_BYTES);
  private readonly bodyView = viewOf(this.body);
  private readonly pendingView = viewOf(this.pending);
  /** View of the bytes being parsed: `pending`, then the chunk. */
  private view = this.pendingView;
  private readonly options: BeastParserOptions;

  constructor(options: BeastParserOptions) {
    this.options = options;
  }

  push(chunk: Uint8Array, timeUs: number, sink: FrameSink): void {
    const { stats, pending } = this;
    this.received.timeUs = timeUs;
    stats.bytes += chunk.length;
    stats.sampleBytes = 0;
    let from = 0;
    const held = stats.pendingBytes;
    if (held > 0) {
      const head = Math.min(chunk.length, pending.length - held);
      this.view = this.pendingView;
      pending.set(head === chunk.length ? chunk : chunk.subarray(0, head), held);
      const parsed = this.parse(pending, 0, held + head, sink);
      if (parsed < held) {
        // Still unfinished: `pending` now holds the whole chunk.
        pending.copyWithin(0, parsed, held + head);
        stats.pendingBytes = held + head - parsed;
        return;
      }
      from = parsed - held;
    }
    this.view = viewOf(chunk);
    const parsed = this.parse(chunk, from, chunk.length, sink);
    stats.pendingBytes = chunk.length - parsed;
    if (stats.pendingBytes > 0) pending.set(chunk.subarray(parsed), 0);
  }

  end(sink: FrameSink): void {
    const { stats, pending } = this;
    if (stats.pendingBytes === 0) return;
    const type = pending[1];
    addGarbage(stats, pending, 0, stats.pendingBytes);
    this.reject('truncated', stats.pendingBytes > 1 && (type === TYPE_SHORT || type === TYPE_LONG), sink);
    stats.pendingBytes = 0;
  }

  /** Parses whole messages. Returns the start of the unfinished one. */
  private parse(bytes: Uint8Array, from: number, to: number, sink: FrameSink): number {
    let at = from;
    while (at < to) {
      if (bytes[at] !== BEAST_ESCAPE) {
        const start = nextEscape(bytes, at, to);
        addStrayBytes(this.stats, this.options.counters, bytes, at, start);
        at = start;
        continue;
      }
      if (at + 1 >= to) return at;
      const type = bytes[at + 1]!;
      const next =
        type === TYPE_LONG || type === TYPE_SHORT ? this.parseFrame(bytes, at, to, type, sink) : this.parseOther(bytes, at, to, type);
      if (next < 0) return at;
      at = next;
    }
    return at;
  }

  /** Parses the frame message at `at`. Returns the start of the next message, or -1 if this one is unfinished. */
  private parseFrame(bytes: Uint8Array, at: number, to: number, type: number, sink: FrameSink): number {
    const { view } = this;
    const byteLength = type === TYPE_LONG ? 14 : 7;
    const from = at + 2;
    let end = from + HEADER_BYTES + byteLength;
    if (end <= to && isPlain(view, from, byteLength)) {
      this.emit(bytes, view, from, byteLength, sink);
    } else {
      end = this.readBody(bytes, from, to, HEADER_BYTES + byteLength);
      if (end === UNFINISHED) return -1;
      if (end < 0) return this.broken(bytes, at, -end, sink);
      this.emit(this.body, this.bodyView, 0, byteLength, sink);
    }
    this.stats.frameBytes += end - at;
    return end;
  }

  /** Passes the frame whose counter begins at `bytes[at]` to the sink. */
  private emit(bytes: Uint8Array, view: DataView, at: number, byteLength: 7 | 14, sink: FrameSink): void {
    const { received } = this;
    const high = view.getUint16(at);
    const low = view.getUint32(at + 2);
    const mlat = high === 0xff00 && low === 0x4d4c_4154;
    received.counter = mlat ? 0 : high * 0x1_0000_0000 + low;
    received.flags = mlat ? FLAG_MLAT : 0;
    received.signal = bytes[at + 6]!;
    received.receiver = this.receiver;
    received.bytes = bytes;
    received.view = view;
    received.at = at + HEADER_BYTES;
    received.byteLength = byteLength;
    this.stats.frames += 1;
    sink.frame(received);
  }

  private parseOther(bytes: Uint8Array, at: number, to: number, type: number): number {
    switch (type) {
      case TYPE_MODE_AC:
        return this.skipMessage(bytes, at, to, HEADER_BYTES + 2, 'mode_ac');
      case TYPE_STATUS:
      case TYPE_POSITION:
        return this.skipStatus(bytes, at, to);
      case TYPE_PING:
        return this.skipMessage(bytes, at, to, 3, 'command');
      case TYPE_COMMAND:
        return this.skipMessage(bytes, at, to, 1, 'command');
      case TYPE_RECEIVER:
        return this.parseReceiver(bytes, at, to);
      case TYPE_UUID:
        return this.parseUuid(bytes, at, to);
      case TYPE_TIME:
        return this.parseTime(bytes, at, to);
      default:
        // 0x1a 0x1a is data of a message whose start is missing; any other pair is an unknown type. Both are skipped.
        addGarbage(this.stats, bytes, at, at + 2);
        this.options.counters.add(
          (type === BEAST_ESCAPE ? 'garbage' : 'unknown_type') satisfies ParserReason,
          type === BEAST_ESCAPE ? 2 : 1,
        );
        return at + 2;
    }
  }

  private skipMessage(bytes: Uint8Array, at: number, to: number, length: number, reason: ParserReason): number {
    const end = this.readBody(bytes, at + 2, to, length);
    if (end === UNFINISHED) return -1;
    if (end < 0) return this.broken(bytes, at, -end, null);
    this.options.counters.add(reason);
    this.stats.otherBytes += end - at;
    return end;
  }

  /** Skips a status message. Its length varies: it ends at the next message or after 21 bytes. */
  private skipStatus(bytes: Uint8Array, at: number, to: number): number {
    const found = this.readBody(bytes, at + 2, to, BODY_BYTES);
    if (found === UNFINISHED) return -1;
    const end = Math.abs(found);
    this.options.counters.add('status' satisfies ParserReason);
    this.stats.otherBytes += end - at;
    return end;
  }

  private parseReceiver(bytes: Uint8Array, at: number, to: number): number {
    const { body } = this;
    const end = this.readBody(bytes, at + 2, to, 8);
    if (end === UNFINISHED) return -1;
    if (end < 0) return this.broken(bytes, at, -end, null);
    this.stats.otherBytes += end - at;
    if (this.options.onReceiver !== undefined) this.receiver = this.options.onReceiver(readUint32(body, 0), readUint32(body, 4));
    return end;
  }

  private parseUuid(bytes: Uint8Array, at: number, to: number): number {
    const start = at + 2;
    let end = start;
    while (end < to && end - start < UUID_CHARACTERS && isUuidCharacter(bytes[end]!)) end += 1;
    if (end === to && end - start < UUID_CHARACTERS) return -1;
    const uuid = String.fromCharCode(...bytes.subarray(start, end)).toLowerCase();
    if (uuid.replaceAll('-', '').length < UUID_DIGITS) {
      addGarbage(this.stats, bytes, at, end);
      this.options.counters.add('bad_uuid' satisfies ParserReason);
      return end;
    }
    this.stats.otherBytes += end - at;
    this.options.onUuid?.(uuid);
    return end;
  }

  private parseTime(bytes: Uint8Array, at: number, to: number): number {
    const end = at + 2 + TIME_BYTES;
    if (end > to) return -1;
    const timeMs = this.view.getUint32(at + 2, true) + 0x1_0000_0000 * this.view.getInt32(at + 6, true);
    if (timeMs < 0 || timeMs > LATEST_TIME_MS) {
      // Noise; a message may follow.
      addGarbage(this.stats, bytes, at, at + 2);
      this.options.counters.add('bad_time' satisfies ParserReason);
      return at + 2;
    }
    this.stats.otherBytes += end - at;
    if (this.options.onTime === undefined) this.options.counters.add('event_time' satisfies ParserReason);
    else this.options.onTime(timeMs * 1000);
    return end;
  }

  /**
   * Copies `length` unescaped bytes into `body`. Returns the index behind them, UNFINISHED if the input ends first, or
   * the negated index of the next message if that begins first.
   */
  private readBody(bytes: Uint8Array, from: number, to: number, length: number): number {
    const { body } = this;
    let at = from;
    for (let i = 0; i < length; i += 1) {
      if (at >= to) return UNFINISHED;
      const byte = bytes[at]!;
      if (byte === BEAST_ESCAPE) {
        at += 1;
        if (at >= to) return UNFINISHED;
        if (bytes[at] !== BEAST_ESCAPE) return 1 - at;
      }
      body[i] = byte;
      at += 1;
    }
    return at;
  }

  /** Rejects the message at `at`, cut off by the one at `next`. */
  private broken(bytes: Uint8Array, at: number, next: number, sink: FrameSink | null): number {
    addGarbage(this.stats, bytes, at, next);
    this.reject('bad_length', sink !== null, sink);
    return next;
  }

  private reject(reason: ParserReason, isRow: boolean, sink: FrameSink | null): void {
    this.options.counters.add(reason);
    if (isRow) sink?.rejected?.(reason);
  }
}

/** True if counter, signal and frame contain no escape. Their bytes are then used in place; this holds for eleven messages of twelve. */
function isPlain(view: DataView, at: number, byteLength: 7 | 14): boolean {
  const head = escapesIn(view.getInt32(at)) | escapesIn(view.getInt32(at + 4)) | escapesIn(view.getInt32(at + 8));
  if (byteLength === 7) return (head | escapesIn(view.getInt32(at + 10))) === 0;
  return (head | escapesIn(view.getInt32(at + 12)) | escapesIn(view.getInt32(at + 16)) | escapesIn(view.getInt32(at + 17))) === 0;
}

/** The result is 0 unless one of the word's four bytes is an escape. After the XOR such a byte is 0, and only subtracting 1 from a 0 byte sets a top bit that was clear. */
function escapesIn(word: number): number {
  const unescaped = word ^ 0x1a1a_1a1a;
  return (unescaped - 0x0101_0101) & ~unescaped & 0x8080_8080;
}

function nextEscape(bytes: Uint8Array, from: number, to: number): number {
  const at = bytes.indexOf(BEAST_ESCAPE, from);
  return at < 0 || at > to ? to : at;
}

function readUint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

/** A hex digit in upper or lower case, or a dash. */
function isUuidCharacter(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66) || (byte >= 0x41 && byte <= 0x46) || byte === 0x2d;
}
