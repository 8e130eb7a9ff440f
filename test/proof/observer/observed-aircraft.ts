// One simulated aircraft as a perfect observer knows it, in two versions. `ideal` takes every heard value by source and time alone. `ruled`
// also applies the rules that delay unproven values, and records the rule for each delayed value. A fold must show one or the other.
import { degreesApart, movementSpeed } from './coding.ts';
import { Duplicates } from './duplicates.ts';
import { Kinds } from './kinds.ts';
import { mayReplace, type Rank, rank } from './known.ts';
import { Layer } from './layer.ts';
import { Levels } from './levels.ts';
import type { AirGround, MessagePosition, MessageValue, Value } from './message-content.ts';
import { type LearntReceivers, type PositionOutcome, Positions } from './positions.ts';
import { type ReceivedMessage, type Rule, rules } from './received-message.ts';

const CONFIRMED_MS = 45_000;
const GUARD_VALUE_MS = 5000;
const SQUAWK_AGAIN_MS = 750;
const SQUAWK_STALE_MS = 15_000;
const ALTITUDE_FRESH_MS = 2000;
const ALTITUDE_ENOUGH = 4;
const ALTITUDE_GAP_MS = 30_000;
const LESSER_ALTITUDE_MS = 10_000;
const POSITIONS_RULE_MS = 20_000;
const CRAB_DEG = 45;
const POSITION_AGE_MS = 600_000;
const ROLL_DEG_MAX = 40;

/** The declination at a position, degrees. */
export type Declination = (latDeg: number, lonDeg: number, altitudeFt: number) => number;

export interface IdealPosition {
  readonly latDeg: number;
  readonly lonDeg: number;
  readonly source: Rank;
  readonly timeMs: number;
  readonly content: MessagePosition;
}

export class ObservedAircraft {
  readonly ideal = new Layer();
  readonly ruled = new Layer();
  readonly positions = new Positions();
  /** The last position heard, proven or not. */
  idealPosition: IdealPosition | null = null;
  /** The last rule that delayed or excluded a value, by field. */
  readonly held = new Map<string, Rule>();
  category: string | null = null;
  silType: string | null = null;
  idealSilType: string | null = null;
  readonly kinds = new Kinds();
  /** Messages that took effect, and all messages. */
  messages = 0;
  heardMessages = 0;
  heardMs = Number.NEGATIVE_INFINITY;
  private wait: Rule | null = null;
  seenMs = Number.NEGATIVE_INFINITY;
  /** Fleet number of the last sender. */
  aircraft = -1;
  private transponder = false;
  private senderVersion = -1;
  readonly levels = new Levels();
  private readonly duplicates = new Duplicates();
  private squawkHeard: { value: Value; timeMs: number } | null = null;
  private altitudeTrust = 0;
  private lastForm: 'surface' | 'airborne' | null = null;
  private readonly learnt: LearntReceivers;
  private readonly declination: Declination;

  constructor(learnt: LearntReceivers, declination: Declination) {
    this.learnt = learnt;
    this.declination = declination;
  }

  /** True when a frame is accepted as one of this aircraft. */
  mayHear(heard: ReceivedMessage): boolean {
    if (heard.announced && heard.intact) return true;
    return heard.timeMs - this.seenMs <= CONFIRMED_MS && (heard.addressed || this.transponder);
  }

  /** Processes a reception; the first accepted one of a transmission is the message. False when it is not accepted. */
  hear(heard: ReceivedMessage): boolean {
    if (!this.mayHear(heard)) return false;
    if (heard.announced && heard.transponder) this.transponder = true;
    this.aircraft = heard.aircraft;
    const isKnown = this.duplicates.isKnown(heard);
    if (!isKnown) this.heardMessages += 1;
    if (!this.duplicates.looksLikeDuplicate(heard, Number(this.ruled.at('gs', heard.timeMs)?.value ?? 0))) {
      this.message(heard, null);
      if (isKnown) this.ignored(rules.again);
    } else {
      if (!isKnown) this.message(heard, rules.duplicate);
      this.duplicates.hearAgain(heard);
    }
    return true;
  }

  /** True when the barometric altitude may be shown. */
  isAltitudeTrusted(nowMs: number): boolean {
    return this.altitudeTrust >= ALTITUDE_ENOUGH && this.ruled.at('alt_baro', nowMs) !== undefined;
  }

  /** `wait`: the rule that excludes the whole message; null for none. */
  private message(heard: ReceivedMessage, wait: Rule | null): void {
    const { content, timeMs, source } = heard;
    const { messages, seenMs } = this;
    const undoKind = this.kinds.keep();
    if (heard.announced) this.heardMs = Math.max(this.heardMs, timeMs);
    this.wait = wait;
    if (wait !== null) {
      this.ignored(wait);
      if (content.position !== null) this.idealPositionOf(heard);
      for (const value of [...content.values, ...heard.register]) this.offer(value, heard, false);
      this.airGround(heard);
      return;
    }
    this.messages += 1;
    if (heard.announced) this.seenMs = Math.max(seenMs, timeMs);
    const version = this.kinds.hear(heard, this.positions.last);
    this.senderVersion = version;
    let outcome: PositionOutcome | null = null;
    if (content.position !== null) {
      const speed = content.movement === null ? null : movementSpeed(content.movement, version).kt;
      outcome = this.positions.accept(content.position, speed, source, timeMs, heard.receiver, this.learnt);
      this.afterPosition(heard, outcome);
      if (outcome === 'repeated') {
        this.wait = rules.repeated;
        this.ignored(rules.repeated);
        Object.assign(this, { messages, seenMs });
        undoKind();
      }
    }
    if (outcome !== 'repeated') this.levels.hear(heard);
    if (this.wait === null && content.position === null && this.duplicates.isGuarded(heard, this.positions.shown)) this.wait = rules.guard;
    this.surfaceSpeed(heard, version);
    this.impliedAccuracy(heard, version);
    if (outcome === 'shown' && source < rank.tisb) this.dropAccuracy();
    for (const value of content.values) this.offer(value, heard, false);
    this.airGround(heard);
    for (const value of heard.register) this.offer(value, heard, true);
  }

  private ignored(rule: Rule): void {
    for (const name of ['messages', 'seen']) this.held.set(name, rule);
  }

  /** The rule that delays this field of any message now; null for none. */
  private waits(name: string, timeMs: number): Rule | null {
    if (this.wait === rules.guard && this.ruled.ageMs(name, timeMs) >= GUARD_VALUE_MS) return null;
    return this.wait;
  }

  private idealPositionOf({ content, source, timeMs }: ReceivedMessage): void {
    const { latDeg, lonDeg } = content.position!;
    if (mayReplace(this.idealPosition ?? undefined, source, timeMs))
      this.idealPosition = { latDeg, lonDeg, source, timeMs, content: content.position! };
  }

  private afterPosition(heard: ReceivedMessage, outcome: PositionOutcome): void {
    const { positions } = this;
    this.idealPositionOf(heard);
    if (outcome === 'closed' || outcome === 'repeated') return;
    this.duplicates.keepPosition(heard, positions.last?.timeMs === heard.timeMs);
    if (outcome === 'shown') this.kinds.set(heard.kind, heard);
  }

  private offer({ name, value, flown, step }: MessageValue, heard: ReceivedMessage, ofRegister: boolean): void {
    const { source, timeMs } = heard;
    if (name === 'heading') {
      this.heading(Number(value), flown!, heard);
      return;
    }
    if (name === 'category') this.category = String(value);
    if (name === 'sil_type') return;
    if (name === 'sil') this.silTypes(heard);
    if (name === 'acas_ra') {
      // The last report wins, whatever its source.
      for (const layer of [this.ideal, this.ruled])
        if (layer === this.ideal || !isOpen(heard, ofRegister)) layer.put(name, value, rank.adsb, timeMs);
      if (isOpen(heard, ofRegister)) this.held.set(name, rules.register);
      return;
    }
    const inIdeal = this.ideal.put(name, value, source, timeMs, flown, step);
    const rule = this.ruleAgainst(name, value, heard, ofRegister);
    const inRuled = rule === null && this.ruled.put(name, value, source, timeMs, flown, step);
    if (rule !== null) this.held.set(name, rule);
    if (name === 'gs' && inIdeal) this.ideal.isCoarse = isCoarse(heard);
    if (name === 'gs' && inRuled) this.ruled.isCoarse = isCoarse(heard);
    this.derive(name, heard, rule === null);
  }

  /** The rule that excludes a value; null for none. */
  private ruleAgainst(name: string, value: Value, heard: ReceivedMessage, ofRegister: boolean): Rule | null {
    const { timeMs } = heard;
    if (isOpen(heard, ofRegister)) return rules.register;
    if (this.wait === rules.repeated || this.wait === rules.duplicate) return this.wait;
    if (name === 'squawk') return this.squawkRule(value, heard);
    if (name === 'alt_baro') return this.altitudeRule(Number(value), heard);
    const waits = this.waits(name, timeMs);
    if (waits !== null) return waits;
    if (ofRegister && name === 'roll' && Math.abs(Number(value)) > ROLL_DEG_MAX) return rules.roll;
    const ias = this.ruled.at('ias', timeMs);
    if (name === 'tas' && ias !== undefined && Number(value) < Number(ias.value)) return rules.slowTas;
    return null;
  }

  private squawkRule(value: Value, heard: ReceivedMessage): Rule | null {
    const { timeMs } = heard;
    const waits = this.waits('squawk', timeMs);
    if (this.squawkHeard?.value !== value) {
      const known = this.ruled.known.get('squawk');
      const lesser = known !== undefined && heard.source < known.source && timeMs - known.timeMs < SQUAWK_STALE_MS;
      if (timeMs - this.seenMs < SQUAWK_STALE_MS && waits === null && !lesser) this.squawkHeard = { value, timeMs };
      return rules.squawk;
    }
    if (timeMs - this.squawkHeard.timeMs < SQUAWK_AGAIN_MS) return rules.squawk;
    return waits;
  }

  private altitudeRule(altitudeFt: number, heard: ReceivedMessage): Rule | null {
    const { timeMs, source } = heard;
    const known = this.ruled.known.get('alt_baro');
    const ageMs = this.ruled.ageMs('alt_baro', timeMs);
    if (known !== undefined && source < known.source && ageMs <= LESSER_ALTITUDE_MS) return rules.lesserAltitude;
    const waits = this.waits('alt_baro', timeMs);
    if (waits !== null) return waits;
    if (this.ruled.at('alt_baro', timeMs) === undefined) this.altitudeTrust = 0;
    else if (Math.abs(altitudeFt - Number(known!.value)) >= 300 && ageMs >= ALTITUDE_GAP_MS) this.altitudeTrust = 0;
    const proven = heard.intact && source >= rank.tisb;
    this.altitudeTrust += 1 + (proven ? (ageMs < ALTITUDE_FRESH_MS ? 20 : 6) : source === rank.mlat ? 9 : 0);
    if (this.altitudeTrust < ALTITUDE_ENOUGH) this.held.set('alt_baro', rules.altitude);
    return null;
  }

  /** Updates values derived from a new value. */
  private derive(name: string, heard: ReceivedMessage, isAccepted: boolean): void {
    const { timeMs } = heard;
    if (name === 'mag_heading') this.trueHeading(heard, isAccepted);
    for (const layer of [this.ideal, this.ruled]) {
      if (layer === this.ruled && !isAccepted) continue;
      if (layer.known.get(name)?.timeMs !== timeMs) continue;
      const isTrusted = layer === this.ideal || this.isAltitudeTrusted(timeMs);
      if (name === 'alt_geom') layer.deriveDelta(timeMs, isTrusted);
      if (name === 'alt_baro' || name === 'geom_delta') layer.deriveAltitude(timeMs, isTrusted);
      if (name === 'tas' || name === 'mach') layer.deriveTemperature(timeMs);
      if (name === 'tas') layer.deriveWind(timeMs, this.positions.last);
    }
  }

  /** The heading of TC 19: always magnetic in the simulation. */
  private heading(headingDeg: number, flownDeg: number, heard: ReceivedMessage): void {
    const value: MessageValue = { name: 'mag_heading', value: headingDeg, flown: flownDeg, step: 360 / 1024, isAngle: true };
    this.offer(value, heard, false);
  }

  private trueHeading(heard: ReceivedMessage, isAccepted: boolean): void {
    const { timeMs } = heard;
    const { last } = this.positions;
    for (const layer of [this.ideal, this.ruled]) {
      const magnetic = layer.known.get('mag_heading');
      if (magnetic?.timeMs !== timeMs || (layer === this.ruled && !isAccepted)) continue;
      if (timeMs - layer.declinationMs >= 30_000) {
        if (last === null || timeMs - last.timeMs > POSITION_AGE_MS) continue;
        layer.declinationDeg = this.declination(last.latDeg, last.lonDeg, layer.number('alt_baro'));
        layer.declinationMs = timeMs;
      }
      const declination = layer.declinationDeg;
      const trueDeg = (Number(magnetic.value) + declination + 360) % 360;
      const track = layer.at('track', timeMs);
      if (track !== undefined && degreesApart(trueDeg, Number(track.value)) >= CRAB_DEG) {
        this.held.set('true_heading', rules.crab);
        continue;
      }
      if (layer === this.ruled && this.waits('true_heading', timeMs) !== null) continue;
      const put = layer.put(
        'true_heading',
        Math.round(trueDeg * 100) / 100,
        rank.derived,
        timeMs,
        (magnetic.flown! + declination + 360) % 360,
      );
      if (put) layer.deriveWind(timeMs, last);
    }
  }

  private silTypes(heard: ReceivedMessage): void {
    const reported = heard.content.values.find(({ name }) => name === 'sil_type')?.value as string | undefined;
    const open = this.senderVersion <= 0;
    const mayTake = this.waits('sil', heard.timeMs) === null;
    this.idealSilType = reported ?? this.idealSilType ?? 'unknown';
    if (mayTake) this.silType = (open ? undefined : reported) ?? this.silType ?? 'unknown';
    if (open && reported !== undefined) this.held.set('sil_type', rules.version);
  }

  private surfaceSpeed(heard: ReceivedMessage, version: number): void {
    const { movement } = heard.content;
    if (movement === null) return;
    const { timeMs, source } = heard;
    const own = heard.version ?? 2;
    const shown = (as: number): number => movementSpeed(movement, as).kt;
    this.ideal.put('gs', shown(own), source, timeMs);
    if (this.wait === null) this.ruled.put('gs', shown(version), source, timeMs);
    else this.held.set('gs', this.wait);
    if (shown(own) !== shown(version)) this.held.set('gs', rules.version);
  }

  private impliedAccuracy(heard: ReceivedMessage, version: number): void {
    const { content, source, timeMs } = heard;
    const implied = IMPLIED[content.typeCode];
    if (implied === undefined || source === rank.tisb || source < rank.mlat || content.typeCode > 22) return;
    const isOld = heard.version === 0 || source === rank.mlat;
    if (isOld) {
      this.ideal.put('nac_p', implied[0], source, timeMs);
      this.ideal.put('sil', implied[1], source, timeMs);
      this.idealSilType ??= 'unknown';
    }
    if (version > 0 || this.wait !== null) return;
    this.ruled.put('nac_p', implied[0], source, timeMs);
    this.ruled.put('sil', implied[1], source, timeMs);
    this.silType ??= 'unknown';
    if (!isOld) for (const name of ['nac_p', 'sil', 'sil_type']) this.held.set(name, rules.version);
  }

  /** A position from a lower source took over: the known accuracy does not apply to it. */
  private dropAccuracy(): void {
    for (const layer of [this.ideal, this.ruled]) layer.forget('nac_p', 'nac_v', 'sil', 'gva', 'sda');
    this.silType = null;
    this.idealSilType = null;
  }

  private airGround(heard: ReceivedMessage): void {
    const { content, source, timeMs } = heard;
    const own = content.position?.form === 'surface' ? 'ground' : content.airGround;
    if (own === 'ground' || own === 'airborne') this.ideal.put('air_ground', own, source, timeMs);
    const known = this.ruled.at('air_ground', timeMs)?.value ?? 'either';
    if (this.wait === rules.duplicate || this.wait === rules.repeated) this.held.set('air_ground', this.wait);
    else if (own !== null && !this.positionsRule(timeMs)) {
      if (own !== 'either' || known === 'either') this.putAirGround(own, source, timeMs);
    } else if (own !== null && own !== 'either' && own !== known) {
      this.held.set('air_ground', rules.positionsRule);
    }
    if (content.position !== null && this.wait === null) this.applyPositionForm(heard, own, known);
  }

  /**
   * Air/ground state from the form of a position message: surface positions are sent on the ground, airborne ones by old transponders
   * everywhere.
   */
  private applyPositionForm({ content, kind, source, timeMs }: ReceivedMessage, own: AirGround | null, known: Value): void {
    const form = content.position!.form === 'surface' ? 'surface' : 'airborne';
    if (this.kinds.isOwn(kind)) {
      if (form === 'surface') this.ruled.put('air_ground', 'ground', source, timeMs);
      else if (this.lastForm === 'surface' || own === 'airborne') this.ruled.put('air_ground', 'airborne', source, timeMs);
      else if (own === 'either' && known === 'ground') this.ruled.put('air_ground', 'either', source, timeMs);
      if (form === 'airborne' && this.lastForm === 'surface') this.ideal.put('air_ground', 'airborne', source, timeMs);
    }
    this.lastForm = form;
  }

  private putAirGround(content: string, source: Rank, timeMs: number): void {
    const known = this.ruled.known.get('air_ground');
    if (known !== undefined && source < known.source && source < rank.allCall && timeMs - known.timeMs <= 120_000) return;
    const waits = this.waits('air_ground', timeMs);
    if (waits !== null) this.held.set('air_ground', waits);
    else this.ruled.put('air_ground', content, source, timeMs);
  }

  private positionsRule(timeMs: number): boolean {
    const since = timeMs - POSITIONS_RULE_MS;
    const known = this.ruled.known.get('air_ground');
    const both = this.duplicates.hasPairSince(since);
    const { shown } = this.positions;
    return (
      shown !== null &&
      shown.timeMs > since &&
      known !== undefined &&
      known.timeMs > since &&
      known.value !== 'either' &&
      both &&
      this.lastForm !== null
    );
  }
}

function isCoarse({ content }: ReceivedMessage): boolean {
  return content.position?.form === 'coarse';
}

/** True when the value comes from a register whose identity is open. */
function isOpen(heard: ReceivedMessage, ofRegister: boolean): boolean {
  return ofRegister && heard.content.register === 0;
}

/** NACp and SIL that version 0 positions imply, by type code. ED-102A tables N-7, N-8. */
const IMPLIED: Readonly<Record<number, readonly [nacP: number, sil: number]>> = {
  ...{ 0: [0, 0], 5: [11, 2], 6: [10, 2], 7: [8, 2], 8: [0, 2], 9: [11, 2], 10: [10, 2], 11: [8, 2], 12: [7, 2], 13: [6, 2] },
  ...{ 14: [5, 2], 15: [4, 2], 16: [1, 2], 17: [1, 2], 18: [0, 0], 20: [11, 2], 21: [10, 2], 22: [0, 0] },
};
