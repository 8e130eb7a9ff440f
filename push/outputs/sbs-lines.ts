// SBS-1 text, as BaseStation sends it on port 30003: what changed from one snapshot to the next as MSG lines.
// Source: "Socket Data and BST Files" of the SBS users' community, and the output of dump1090.
//
//   MSG, transmission type, session, aircraft, hex, flight,   ids: 1, as in dump1090; the address has capitals
//   date, time generated, date, time logged,                  yyyy/mm/dd,hh:mm:ss.mmm in UTC: of the message, of the snapshot
//   call sign, altitude, ground speed, track, latitude, longitude, vertical rate, squawk,
//   alert, emergency, SPI, on the ground                      -1 yes, 0 no, empty unknown; CR LF
//
// A type has only its own fields, which are empty while unknown. One line stands for all messages of its type since the last snapshot. Type 7 does
// not occur: from which message an altitude is, is not known. The format has no way to say that a value is not valid any more.

import { NON_ICAO_BIT } from '../../pipeline/aircraft/hex-key.ts';
import { putText, type Text, text } from '../../pipeline/aircraft/text.ts';
import { changeFields, MASK_WORDS, type SnapshotChanges } from '../../pipeline/view/changes.ts';
import { putFixed, putGroup, putInteger } from '../../pipeline/view/digits.ts';
import type { Listing } from '../../pipeline/view/listing.ts';
import { ABSENT } from '../../schemas/absent.ts';
import { emergencyNames } from '../../schemas/aircraft-fields.ts';
import { viewOf } from '../../schemas/packed-frame.ts';

const DAY_MS = 86_400_000;
const BUFFER_BYTES = 64 * 1024;
/** The longest line, with every field and the bytes that digit writers may overwrite behind it. */
const LINE_BYTES = 256;
const LINES_PER_AIRCRAFT = 4;
const CALL_SIGN_CHARACTERS = 8;

const COMMA = 0x2c;
const COLON = 0x3a;
const POINT = 0x2e;
const CAPITAL_A = 0x41;
const CARRIAGE_RETURN_LINE_FEED = 0x0d0a;
const UNPRINTABLE = 0x5f;
const ZERO = 0x30;
/** `-1`. */
const YES = 0x2d31;

/**
 * Changes of an aircraft, as bits: a call sign, a position, speeds and directions, a code, other values of replies, a message,
 * in the air or on the ground.
 */
const CALL_SIGN = 1;
const POSITION = 2;
const MOTION = 4;
const CODE = 8;
const REPLY = 16;
const MESSAGE = 32;
const GROUND = 64;
const ALL_CHANGES = 127;

const changeOfField: Readonly<Record<string, number>> = {
  flight: CALL_SIGN,
  positionValid: POSITION,
  positionMs: POSITION,
  latitudeMicrodeg: POSITION,
  longitudeMicrodeg: POSITION,
  groundSpeedDeciKt: MOTION,
  trackCentideg: MOTION,
  baroRateFpm: MOTION,
  geomRateFpm: MOTION,
  squawk: CODE,
  emergency: CODE,
  altitudeBaroFt: REPLY,
  alert: REPLY,
  spi: REPLY,
  messages: MESSAGE,
  // The altitude is not shown on the ground.
  onGround: GROUND | REPLY,
};

/** The bits of changed fields that are sent, word by word. */
const changeBits = Object.entries(changeOfField).map(([field, changes]) => {
  const bit = changeFields.indexOf(field);
  return { word: bit >> 5, flag: 1 << (bit & 31), changes };
});

/** Squawks of emergencies, as the numbers that the column has. */
const EMERGENCY_SQUAWKS: readonly number[] = [7500, 7600, 7700];
const NO_EMERGENCY = emergencyNames.indexOf('none');

type LineType = 1 | 2 | 3 | 4 | 5 | 6 | 8;
const heads = Object.fromEntries(([1, 2, 3, 4, 5, 6, 8] as const).map((type) => [type, text(`MSG,${type},1,1,`)])) as Record<
  LineType,
  Text
>;

/** The types that have a field. */
const has = (...types: readonly LineType[]): number => types.reduce((bits, type) => bits | (1 << type), 0);
const HAS_CALL_SIGN = has(1);
const HAS_ALTITUDE = has(2, 3, 5, 6);
const HAS_SPEED_AND_TRACK = has(2, 4);
const HAS_POSITION = has(2, 3);
const HAS_RATE = has(4);
const HAS_SQUAWK = has(6);
const HAS_EMERGENCY = has(3, 6);
const HAS_ALERT_AND_SPI = has(3, 5, 6);
const HAS_GROUND = has(2, 3, 5, 6, 8);

/** Writes lines into one buffer, which it reuses; the results are copies. */
export class SbsWriter {
  private buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  private view = viewOf(this.buffer);
  private at = 0;
  private listing: Listing | null = null;
  /** Date and time of the snapshot. */
  private logged: Text = text('');
  private dayNumber = Number.NaN;
  private day: Text = text('');

  /** Lines of all aircraft with all that is known of them. Aircraft without an ICAO address have none: their numbers may be those of other aircraft. */
  all(listing: Listing, nowMs: number): Uint8Array {
    this.begin(listing, nowMs);
    for (let i = 0; i < listing.count; i += 1) this.aircraft(i, ALL_CHANGES);
    return this.written();
  }

  /** Lines of what changed. */
  changes(listing: Listing, nowMs: number, { added, changed, masks }: SnapshotChanges): Uint8Array {
    this.begin(listing, nowMs);
    for (let n = 0; n < added.length; n += 1) this.aircraft(added[n]!, ALL_CHANGES);
    for (let n = 0; n < changed.length; n += 1) {
      let changes = 0;
      for (const { word, flag, changes: bit } of changeBits) if ((masks[n * MASK_WORDS + word]! & flag) !== 0) changes |= bit;
      this.aircraft(changed[n]!, changes);
    }
    return this.written();
  }

  private begin(listing: Listing, nowMs: number): void {
    this.listing = listing;
    this.at = 0;
    const [date, time] = new Date(nowMs).toISOString().slice(0, -1).split('T');
    this.logged = text(`,${date!.replaceAll('-', '/')},${time!},`);
  }

  private written(): Uint8Array {
    this.listing = null;
    return Buffer.from(this.buffer.subarray(0, this.at));
  }

  private aircraft(i: number, changes: number): void {
    const { columns, flights, positionMs, seenMs } = this.listing!;
    if ((columns.key[i]! & NON_ICAO_BIT) !== 0) return;
    this.reserve();
    const start = this.at;
    const seen = seenMs[i]!;
    const isGround = columns.onGround[i] === 1;
    const hasPosition = (changes & POSITION) !== 0 && this.listing!.hasPosition(i);
    if ((changes & CALL_SIGN) !== 0 && isCallSign(flights[i]!)) this.line(1, i, seen);
    if (hasPosition) this.line(isGround ? 2 : 3, i, positionMs[i]!);
    if ((changes & MOTION) !== 0 && this.hasMotion(i, hasPosition && isGround)) this.line(4, i, seen);
    let hasGround = hasPosition;
    if ((changes & CODE) !== 0 && !(columns.squawk[i] === ABSENT && columns.emergency[i] === ABSENT)) {
      this.line(6, i, seen);
      hasGround = true;
    } else if ((changes & REPLY) !== 0 && !(hasPosition && !isGround) && this.hasReply(i, isGround)) {
      this.line(5, i, seen);
      hasGround = true;
    }
    const isGroundChange = (changes & GROUND) !== 0 && !hasGround && columns.onGround[i] !== ABSENT;
    if (isGroundChange || (this.at === start && (changes & MESSAGE) !== 0)) this.line(8, i, seen);
  }

  /** True if there is something for a line of type 4; a surface position has speed and track. */
  private hasMotion(i: number, inPosition: boolean): boolean {
    const { groundSpeedDeciKt, trackCentideg, baroRateFpm, geomRateFpm } = this.listing!.columns;
    if (baroRateFpm[i] !== ABSENT || geomRateFpm[i] !== ABSENT) return true;
    return !inPosition && (groundSpeedDeciKt[i] !== ABSENT || trackCentideg[i] !== ABSENT);
  }

  /** True if there is something for a line of type 5. */
  private hasReply(i: number, isGround: boolean): boolean {
    const { altitudeBaroFt, alert, spi } = this.listing!.columns;
    return (!isGround && altitudeBaroFt[i] !== ABSENT) || alert[i] !== ABSENT || spi[i] !== ABSENT;
  }

  private line(type: LineType, i: number, timeMs: number): void {
    const { columns, flights, latitudesMicrodeg, longitudesMicrodeg } = this.listing!;
    const bit = 1 << type;
    this.at = putText(this.view, this.at, heads[type]);
    this.putHex(columns.key[i]!);
    this.putTime(timeMs);
    this.at = putText(this.view, this.at, this.logged);
    if ((HAS_CALL_SIGN & bit) !== 0) this.putCallSign(flights[i]!);
    this.number((HAS_ALTITUDE & bit) === 0 || columns.onGround[i] === 1 ? ABSENT : columns.altitudeBaroFt[i]!, 0);
    const isMoving = (HAS_SPEED_AND_TRACK & bit) !== 0;
    this.number(isMoving ? columns.groundSpeedDeciKt[i]! : ABSENT, 1);
    this.number(isMoving ? tenths(columns.trackCentideg[i]!) : ABSENT, 1);
    const isLocated = (HAS_POSITION & bit) !== 0;
    this.number(isLocated ? latitudesMicrodeg[i]! : ABSENT, 6);
    this.number(isLocated ? longitudesMicrodeg[i]! : ABSENT, 6);
    const rate = columns.baroRateFpm[i] === ABSENT ? columns.geomRateFpm[i]! : columns.baroRateFpm[i]!;
    this.number((HAS_RATE & bit) !== 0 ? rate : ABSENT, 0);
    this.comma();
    if ((HAS_SQUAWK & bit) !== 0 && columns.squawk[i] !== ABSENT) this.at = putGroup(this.view, this.at, columns.squawk[i]!);
    const hasAlert = (HAS_ALERT_AND_SPI & bit) !== 0;
    this.flag(hasAlert ? columns.alert[i]! : ABSENT);
    this.flag((HAS_EMERGENCY & bit) !== 0 ? emergencyOf(columns.squawk[i]!, columns.emergency[i]!) : ABSENT);
    this.flag(hasAlert ? columns.spi[i]! : ABSENT);
    this.flag((HAS_GROUND & bit) !== 0 ? columns.onGround[i]! : ABSENT);
    this.view.setUint16(this.at, CARRIAGE_RETURN_LINE_FEED);
    this.at += 2;
  }

  private comma(): void {
    this.view.setUint8(this.at, COMMA);
    this.at += 1;
  }

  /** A comma, and the value / 10^decimals unless it is ABSENT. */
  private number(value: number, decimals: 0 | 1 | 6): void {
    this.comma();
    if (value === ABSENT) return;
    this.at = decimals === 0 ? putInteger(this.view, this.at, value) : putFixed(this.view, this.at, value, decimals);
  }

  private flag(value: number): void {
    this.comma();
    if (value === ABSENT) return;
    if (value === 0) {
      this.view.setUint8(this.at, ZERO);
      this.at += 1;
      return;
    }
    this.view.setUint16(this.at, YES);
    this.at += 2;
  }

  /** Six capital digits, and `,1,` for the flight. */
  private putHex(key: number): void {
    const { view } = this;
    for (let shift = 20; shift >= 0; shift -= 4) {
      const digit = (key >>> shift) & 15;
      view.setUint8(this.at, digit < 10 ? ZERO + digit : CAPITAL_A + digit - 10);
      this.at += 1;
    }
    view.setUint8(this.at, COMMA);
    view.setUint8(this.at + 1, ZERO + 1);
    view.setUint8(this.at + 2, COMMA);
    this.at += 3;
  }

  /** `2026/01/31,12:00:00.000`. */
  private putTime(timeMs: number): void {
    const number = Math.floor(timeMs / DAY_MS);
    if (number !== this.dayNumber) {
      this.dayNumber = number;
      this.day = text(`${new Date(number * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '/')},`);
    }
    this.at = putText(this.view, this.at, this.day);
    const ms = Math.floor(timeMs) - number * DAY_MS;
    const seconds = (ms / 1000) | 0;
    const minutes = (seconds / 60) | 0;
    const hours = (minutes / 60) | 0;
    this.twoDigits(hours, COLON);
    this.twoDigits(minutes - hours * 60, COLON);
    this.twoDigits(seconds - minutes * 60, POINT);
    // Four digits, and the point again in the place of the leading zero.
    const end = putGroup(this.view, this.at - 1, ms - seconds * 1000);
    this.view.setUint8(this.at - 1, POINT);
    this.at = end;
  }

  private twoDigits(value: number, separator: number): void {
    const tens = (value / 10) | 0;
    this.view.setUint8(this.at, ZERO + tens);
    this.view.setUint8(this.at + 1, ZERO + value - tens * 10);
    this.view.setUint8(this.at + 2, separator);
    this.at += 3;
  }

  /** Without the spaces behind it; a character that would end the field or the line becomes `_`. */
  private putCallSign(flight: string): void {
    const shown = flight.trimEnd();
    const length = Math.min(shown.length, CALL_SIGN_CHARACTERS);
    for (let k = 0; k < length; k += 1) {
      const code = shown.charCodeAt(k);
      this.view.setUint8(this.at, code < 0x20 || code > 0x7e || code === COMMA ? UNPRINTABLE : code);
      this.at += 1;
    }
  }

  /** Makes room for the lines of one aircraft. */
  private reserve(): void {
    if (this.buffer.length - this.at >= LINES_PER_AIRCRAFT * LINE_BYTES) return;
    const larger = Buffer.allocUnsafeSlow(2 * this.buffer.length);
    this.buffer.copy(larger, 0, 0, this.at);
    this.buffer = larger;
    this.view = viewOf(larger);
  }
}

function isCallSign(flight: string | null): boolean {
  return flight !== null && flight.trim() !== '';
}

/** Hundredths as tenths, ABSENT as itself. */
function tenths(hundredths: number): number {
  return hundredths === ABSENT ? ABSENT : Math.round(hundredths / 10) % 3600;
}

/** 1 for an emergency by status or squawk, 0 for none, ABSENT while both are unknown. */
function emergencyOf(squawk: number, emergency: number): number {
  if (squawk === ABSENT && emergency === ABSENT) return ABSENT;
  return EMERGENCY_SQUAWKS.includes(squawk) || (emergency !== ABSENT && emergency !== NO_EMERGENCY) ? 1 : 0;
}
