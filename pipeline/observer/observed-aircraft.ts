// One simulated aircraft as a perfect observer knows it, twice: `ideal` takes whatever was heard by source and time alone; `ruled` keeps the rules by
// which values wait until they are proven, and notes for each value that waits which rule it is. A fold must show the one or the other.
import { degreesApart, movementSpeed } from './coding.ts';
import { Copies } from './copies.ts';
import { type Heard, type Rule, rules } from './heard.ts';
import { Kinds } from './kinds.ts';
import { mayReplace, type Rank, rank } from './known.ts';
import { Layer } from './layer.ts';
import { Levels } from './levels.ts';
import { type LearntReceivers, type PlaceOutcome, Places } from './places.ts';
import type { AirGround, SaidPlace, SaidValue, Value } from './said.ts';

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
const PLACE_AGE_MS = 600_000;
const ROLL_DEG_MAX = 40;

/** The declination at a place, degrees. */
export type Declination = (latDeg: number, lonDeg: number, altitudeFt: number) => number;

export interface IdealPlace {
  readonly latDeg: number;
  readonly lonDeg: number;
  readonly source: Rank;
  readonly timeMs: number;
  readonly said: SaidPlace;
}

export class ObservedAircraft {
  readonly ideal = new Layer();
  readonly ruled = new Layer();
  readonly places = new Places();
  /** The last place that was heard, proven or not. */
  idealPlace: IdealPlace | null = null;
  /** The last rule that kept a value of a field from being taken. */
  readonly held = new Map<string, Rule>();
  category: string | null = null;
  silType: string | null = null;
  idealSilType: string | null = null;
  readonly kinds = new Kinds();
  /** Messages that took effect, and all. */
  messages = 0;
  heardMessages = 0;
  heardMs = Number.NEGATIVE_INFINITY;
  private wait: Rule | null = null;
  seenMs = Number.NEGATIVE_INFINITY;
  /** Number in the fleet of who spoke last. */
  aircraft = -1;
  private transponder = false;
  private senderVersion = -1;
  readonly levels = new Levels();
  private readonly copies = new Copies();
  private squawkHeard: { value: Value; timeMs: number } | null = null;
  private altitudeTrust = 0;
  private lastForm: 'surface' | 'airborne' | null = null;
  private readonly learnt: LearntReceivers;
  private readonly declination: Declination;

  constructor(learnt: LearntReceivers, declination: Declination) {
    this.learnt = learnt;
    this.declination = declination;
  }

  /** Whether a frame is believed to be of this aircraft. */
  mayHear(heard: Heard): boolean {
    if (heard.announced && heard.intact) return true;
    return heard.timeMs - this.seenMs <= CONFIRMED_MS && (heard.addressed || this.transponder);
  }

  /** Takes a copy of a transmission; the first one that is believed is the message. False where it is not believed. */
  hear(heard: Heard): boolean {
    if (!this.mayHear(heard)) return false;
    if (heard.announced && heard.transponder) this.transponder = true;
    this.aircraft = heard.aircraft;
    this.levels.hear(heard);
    const isKnown = this.copies.isKnown(heard);
    if (!isKnown) this.heardMessages += 1;
    if (!this.copies.looksLikeCopy(heard, Number(this.ruled.at('gs', heard.timeMs)?.value ?? 0))) {
      this.message(heard, null);
      if (isKnown) this.ignored(rules.again);
    } else {
      if (!isKnown) this.message(heard, rules.copy);
      this.copies.hearAgain(heard);
    }
    return true;
  }

  /** The barometric altitude may be shown. */
  isAltitudeBelieved(nowMs: number): boolean {
    return this.altitudeTrust >= ALTITUDE_ENOUGH && this.ruled.at('alt_baro', nowMs) !== undefined;
  }

  /** `wait`: the rule by which the whole message counts for nothing; null where none does. */
  private message(heard: Heard, wait: Rule | null): void {
    const { said, timeMs, source } = heard;
    const { messages, seenMs } = this;
    const undoKind = this.kinds.keep();
    if (heard.announced) this.heardMs = Math.max(this.heardMs, timeMs);
    this.wait = wait;
    if (wait !== null) {
      this.ignored(wait);
      if (said.place !== null) this.idealPlaceOf(heard);
      for (const value of [...said.values, ...heard.register]) this.offer(value, heard, false);
      this.airGround(heard);
      return;
    }
    this.messages += 1;
    if (heard.announced) this.seenMs = Math.max(seenMs, timeMs);
    const version = this.kinds.hear(heard, this.places.last);
    this.senderVersion = version;
    let outcome: PlaceOutcome | null = null;
    if (said.place !== null) {
      const speed = said.movement === null ? null : movementSpeed(said.movement, version).kt;
      outcome = this.places.take(said.place, speed, source, timeMs, heard.receiver, this.learnt);
      this.afterPlace(heard, outcome);
      if (outcome === 'repeated') {
        this.wait = rules.repeated;
        this.ignored(rules.repeated);
        Object.assign(this, { messages, seenMs });
        undoKind();
      }
    }
    if (this.wait === null && said.place === null && this.copies.isGuarded(heard, this.places.shown)) this.wait = rules.guard;
    this.surfaceSpeed(heard, version);
    this.impliedAccuracy(heard, version);
    if (outcome === 'shown' && source < rank.tisb) this.dropAccuracy();
    for (const value of said.values) this.offer(value, heard, false);
    this.airGround(heard);
    for (const value of heard.register) this.offer(value, heard, true);
  }

  private ignored(rule: Rule): void {
    for (const name of ['messages', 'seen']) this.held.set(name, rule);
  }

  /** The rule by which this message's value of a field waits, whatever it is; null where none does. */
  private waits(name: string, timeMs: number): Rule | null {
    if (this.wait === rules.guard && this.ruled.ageMs(name, timeMs) >= GUARD_VALUE_MS) return null;
    return this.wait;
  }

  private idealPlaceOf({ said, source, timeMs }: Heard): void {
    const { latDeg, lonDeg } = said.place!;
    if (mayReplace(this.idealPlace ?? undefined, source, timeMs)) this.idealPlace = { latDeg, lonDeg, source, timeMs, said: said.place! };
  }

  private afterPlace(heard: Heard, outcome: PlaceOutcome): void {
    const { places } = this;
    this.idealPlaceOf(heard);
    if (outcome === 'closed' || outcome === 'repeated') return;
    this.copies.keepPosition(heard, places.last?.timeMs === heard.timeMs);
    if (outcome === 'shown') this.kinds.set(heard.kind, heard);
  }

  private offer({ name, value, flown, step }: SaidValue, heard: Heard, ofRegister: boolean): void {
    const { source, timeMs } = heard;
    if (name === 'heading') {
      this.heading(Number(value), flown!, heard);
      return;
    }
    if (name === 'category') this.category = String(value);
    if (name === 'sil_type') return;
    if (name === 'sil') this.silTypes(heard);
    if (name === 'acas_ra') {
      // The last report counts, whoever brought it.
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

  /** The rule that keeps a value from being taken; null where none does. */
  private ruleAgainst(name: string, value: Value, heard: Heard, ofRegister: boolean): Rule | null {
    const { timeMs } = heard;
    if (isOpen(heard, ofRegister)) return rules.register;
    if (this.wait === rules.repeated || this.wait === rules.copy) return this.wait;
    if (name === 'squawk') return this.squawkRule(value, heard);
    if (name === 'alt_baro') return this.altitudeRule(Number(value), heard);
    const waits = this.waits(name, timeMs);
    if (waits !== null) return waits;
    if (ofRegister && name === 'roll' && Math.abs(Number(value)) > ROLL_DEG_MAX) return rules.roll;
    const ias = this.ruled.at('ias', timeMs);
    if (name === 'tas' && ias !== undefined && Number(value) < Number(ias.value)) return rules.slowTas;
    return null;
  }

  private squawkRule(value: Value, heard: Heard): Rule | null {
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

  private altitudeRule(altitudeFt: number, heard: Heard): Rule | null {
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

  /** What follows from a value that came. */
  private derive(name: string, heard: Heard, taken: boolean): void {
    const { timeMs } = heard;
    if (name === 'mag_heading') this.trueHeading(heard, taken);
    for (const layer of [this.ideal, this.ruled]) {
      if (layer === this.ruled && !taken) continue;
      if (layer.known.get(name)?.timeMs !== timeMs) continue;
      const isBelieved = layer === this.ideal || this.isAltitudeBelieved(timeMs);
      if (name === 'alt_geom') layer.deriveDelta(timeMs, isBelieved);
      if (name === 'alt_baro' || name === 'geom_delta') layer.deriveAltitude(timeMs, isBelieved);
      if (name === 'tas' || name === 'mach') layer.deriveTemperature(timeMs);
      if (name === 'tas') layer.deriveWind(timeMs, this.places.last);
    }
  }

  /** The heading of TC 19: every simulated one is magnetic. */
  private heading(headingDeg: number, flownDeg: number, heard: Heard): void {
    const value: SaidValue = { name: 'mag_heading', value: headingDeg, flown: flownDeg, step: 360 / 1024, isAngle: true };
    this.offer(value, heard, false);
  }

  private trueHeading(heard: Heard, taken: boolean): void {
    const { timeMs } = heard;
    const { last } = this.places;
    for (const layer of [this.ideal, this.ruled]) {
      const magnetic = layer.known.get('mag_heading');
      if (magnetic?.timeMs !== timeMs || (layer === this.ruled && !taken)) continue;
      if (timeMs - layer.declinationMs >= 30_000) {
        if (last === null || timeMs - last.timeMs > PLACE_AGE_MS) continue;
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

  private silTypes(heard: Heard): void {
    const told = heard.said.values.find(({ name }) => name === 'sil_type')?.value as string | undefined;
    const open = this.senderVersion <= 0;
    const mayTake = this.waits('sil', heard.timeMs) === null;
    this.idealSilType = told ?? this.idealSilType ?? 'unknown';
    if (mayTake) this.silType = (open ? undefined : told) ?? this.silType ?? 'unknown';
    if (open && told !== undefined) this.held.set('sil_type', rules.version);
  }

  private surfaceSpeed(heard: Heard, version: number): void {
    const { movement } = heard.said;
    if (movement === null) return;
    const { timeMs, source } = heard;
    const own = heard.version ?? 2;
    const shown = (as: number): number => movementSpeed(movement, as).kt;
    this.ideal.put('gs', shown(own), source, timeMs);
    if (this.wait === null) this.ruled.put('gs', shown(version), source, timeMs);
    else this.held.set('gs', this.wait);
    if (shown(own) !== shown(version)) this.held.set('gs', rules.version);
  }

  private impliedAccuracy(heard: Heard, version: number): void {
    const { said, source, timeMs } = heard;
    const implied = IMPLIED[said.typeCode];
    if (implied === undefined || source === rank.tisb || source < rank.mlat || said.typeCode > 22) return;
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

  /** A position of a lesser source took over: what was said of the accuracy does not hold for it. */
  private dropAccuracy(): void {
    for (const layer of [this.ideal, this.ruled]) layer.forget('nac_p', 'nac_v', 'sil', 'gva', 'sda');
    this.silType = null;
    this.idealSilType = null;
  }

  private airGround(heard: Heard): void {
    const { said, source, timeMs } = heard;
    const own = said.place?.form === 'surface' ? 'ground' : said.airGround;
    if (own === 'ground' || own === 'airborne') this.ideal.put('air_ground', own, source, timeMs);
    const known = this.ruled.at('air_ground', timeMs)?.value ?? 'either';
    if (this.wait === rules.copy || this.wait === rules.repeated) this.held.set('air_ground', this.wait);
    else if (own !== null && !this.positionsRule(timeMs)) {
      if (own !== 'either' || known === 'either') this.putAirGround(own, source, timeMs);
    } else if (own !== null && own !== 'either' && own !== known) {
      this.held.set('air_ground', rules.positionsRule);
    }
    if (said.place !== null && this.wait === null) this.placeForm(heard, own, known);
  }

  /** What the form of a position message says: surface positions are sent on the ground, airborne ones by old transponders everywhere. */
  private placeForm({ said, kind, source, timeMs }: Heard, own: AirGround | null, known: Value): void {
    const form = said.place!.form === 'surface' ? 'surface' : 'airborne';
    if (this.kinds.isOwn(kind)) {
      if (form === 'surface') this.ruled.put('air_ground', 'ground', source, timeMs);
      else if (this.lastForm === 'surface' || own === 'airborne') this.ruled.put('air_ground', 'airborne', source, timeMs);
      else if (own === 'either' && known === 'ground') this.ruled.put('air_ground', 'either', source, timeMs);
      if (form === 'airborne' && this.lastForm === 'surface') this.ideal.put('air_ground', 'airborne', source, timeMs);
    }
    this.lastForm = form;
  }

  private putAirGround(said: string, source: Rank, timeMs: number): void {
    const known = this.ruled.known.get('air_ground');
    if (known !== undefined && source < known.source && source < rank.allCall && timeMs - known.timeMs <= 120_000) return;
    const waits = this.waits('air_ground', timeMs);
    if (waits !== null) this.held.set('air_ground', waits);
    else this.ruled.put('air_ground', said, source, timeMs);
  }

  private positionsRule(timeMs: number): boolean {
    const since = timeMs - POSITIONS_RULE_MS;
    const known = this.ruled.known.get('air_ground');
    const both = this.copies.hasPairSince(since);
    const { shown } = this.places;
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

function isCoarse({ said }: Heard): boolean {
  return said.place?.form === 'coarse';
}

/** The value stands in a register that the reply does not name. */
function isOpen(heard: Heard, ofRegister: boolean): boolean {
  return ofRegister && heard.said.register === 0;
}

/** NACp and SIL that positions of version 0 imply, by type code. ED-102A tables N-7, N-8. */
const IMPLIED: Readonly<Record<number, readonly [nacP: number, sil: number]>> = {
  ...{ 0: [0, 0], 5: [11, 2], 6: [10, 2], 7: [8, 2], 8: [0, 2], 9: [11, 2], 10: [10, 2], 11: [8, 2], 12: [7, 2], 13: [6, 2] },
  ...{ 14: [5, 2], 15: [4, 2], 16: [1, 2], 17: [1, 2], 18: [0, 0], 20: [11, 2], 21: [10, 2], 22: [0, 0] },
};
