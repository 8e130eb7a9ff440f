// When the places that an aircraft sends may be shown: pairs of odd and even messages, two global decodes of each parity, places on the ground by
// where the receiver stands. DO-260B §2.2.10.3; the numbers are those of the field rules.
import { bearingDeg, metresApart, type PlaceForm } from './coding.ts';
import { mayReplace, type Rank, rank } from './known.ts';
import type { SaidPlace } from './said.ts';

const PAIR_MS = 10_000;
const PAIR_SURFACE_MS = 25_000;
const PAIR_SURFACE_SLOW_MS = 50_000;
const SLOW_KT = 25;
const DECODES = 2;
const DECODES_MAX = 4;
const LOCAL_MS = 600_000;
const REPEAT_MS = 2000;
const MOVED_M = 100;
/** From here on distances are taken on the sphere, in whole metres. */
const SPHERE_DEG = 80;
const METRE = 1;
const POLAR_DEG = 84;
const RECEIVER_POSITIONS = 100;
const RECEIVER_LAT_DEG = 12;
const RECEIVER_LON_DEG = 30;

export interface ShownPlace {
  readonly latDeg: number;
  readonly lonDeg: number;
  readonly nic: number;
  readonly rcM: number;
  readonly timeMs: number;
  readonly source: Rank;
  readonly said: SaidPlace;
}

interface Half {
  readonly timeMs: number;
  readonly source: Rank;
  readonly form: PlaceForm;
  readonly zones: number;
  readonly accuracy: Accuracy;
}

interface Accuracy {
  readonly nic: number;
  readonly rcM: number;
}

/** NIC and Rc by type code, the supplements all 0. DO-260B tables 2-69, 2-70; DO-260 table 2-11. Unknown: 0. */
const ACCURACY: Readonly<Record<number, Accuracy>> = {
  7: { nic: 8, rcM: 186 },
  9: { nic: 11, rcM: 8 },
  10: { nic: 10, rcM: 25 },
  11: { nic: 8, rcM: 186 },
  12: { nic: 7, rcM: 371 },
  13: { nic: 6, rcM: 926 },
  14: { nic: 5, rcM: 1852 },
  15: { nic: 4, rcM: 3704 },
  5: { nic: 11, rcM: 8 },
  6: { nic: 10, rcM: 25 },
  20: { nic: 11, rcM: 8 },
  21: { nic: 10, rcM: 25 },
};
const UNKNOWN: Accuracy = { nic: 0, rcM: 0 };

/** What receivers are known to hear, by the airborne places that they gave: places on the ground are found near its middle. */
export class LearntReceivers {
  private readonly heard = new Map<number, { count: number; lats: Range; lons: Range }>();

  learn(receiver: number, latDeg: number, lonDeg: number): void {
    const known = this.heard.get(receiver);
    if (known === undefined) {
      this.heard.set(receiver, { count: 1, lats: { min: latDeg, max: latDeg }, lons: { min: lonDeg, max: lonDeg } });
      return;
    }
    known.count += 1;
    widen(known.lats, latDeg);
    // Across the antimeridian as if longitudes went on.
    widen(known.lons, lonDeg - 360 * Math.round((lonDeg - known.lons.min) / 360));
  }

  isKnown(receiver: number): boolean {
    const known = this.heard.get(receiver);
    if (known === undefined || known.count < RECEIVER_POSITIONS) return false;
    return known.lats.max - known.lats.min <= RECEIVER_LAT_DEG && known.lons.max - known.lons.min <= RECEIVER_LON_DEG;
  }
}

interface Range {
  min: number;
  max: number;
}

function widen(range: Range, value: number): void {
  range.min = Math.min(range.min, value);
  range.max = Math.max(range.max, value);
}

/** What became of a place. `repeated`: the aircraft was there a moment ago, and its message counts for nothing. */
export interface PlaceMove {
  readonly deg: number;
  /** Between its two places. */
  readonly timeMs: number;
  /** How far off the steps of the places may make it. */
  readonly withinDeg: number;
}

export type PlaceOutcome = 'shown' | 'kept' | 'repeated' | 'closed';

export class Places {
  /** The last one that may be shown, and the last one at all. */
  shown: ShownPlace | null = null;
  last: ShownPlace | null = null;
  private before: ShownPlace | null = null;
  /** The last move of 100 m and more; null before the first. */
  move: PlaceMove | null = null;
  /** The same by whole metres, in which distances near the poles are taken: there a move of almost 100 m counts for one, or one of little more for none. */
  roundedMove: PlaceMove | null = null;
  private readonly halves = new Map<boolean, Half>();
  private oddDecodes = 0;
  private evenDecodes = 0;

  take(said: SaidPlace, speedKt: number | null, source: Rank, nowMs: number, receiver: number, learnt: LearntReceivers): PlaceOutcome {
    const own = this.halves.get(said.odd);
    if ((this.last !== null && nowMs < this.last.timeMs) || !mayReplace(own, source, nowMs)) return 'closed';
    const accuracy = ACCURACY[said.typeCode] ?? UNKNOWN;
    const half: Half = { timeMs: nowMs, source, form: said.form, zones: said.zones, accuracy };
    const other = this.halves.get(!said.odd);
    const global = other !== undefined && this.isPair(half, other, speedKt) && this.isReferenced(said, receiver, learnt);
    if (!global && !this.isLocal(nowMs)) {
      this.halves.set(said.odd, half);
      return 'kept';
    }
    const { nic, rcM } = global ? worse(accuracy, other.accuracy) : accuracy;
    const place: ShownPlace = { latDeg: said.latDeg, lonDeg: said.lonDeg, nic, rcM, timeMs: nowMs, source, said };
    if (this.isRepeat(place)) return 'repeated';
    this.halves.set(said.odd, half);
    if (!mayReplace(this.last ?? undefined, source, nowMs)) return 'kept';
    if (global) this.count(said.odd);
    this.moveTo(place);
    if (source !== rank.mlat && (this.oddDecodes < DECODES || this.evenDecodes < DECODES)) return 'kept';
    if (!mayReplace(this.shown ?? undefined, source, nowMs)) return 'kept';
    this.shown = place;
    if (global && source === rank.adsb && said.form === 'airborne') learnt.learn(receiver, said.latDeg, said.lonDeg);
    return 'shown';
  }

  private isPair(half: Half, other: Half, speedKt: number | null): boolean {
    if (half.form !== other.form || half.source !== other.source) return false;
    // Where the number of longitude zones changes between both, a pair has no place.
    if (half.zones !== other.zones) return false;
    const slow = speedKt !== null && speedKt <= SLOW_KT;
    const limitMs = half.form !== 'surface' ? PAIR_MS : slow ? PAIR_SURFACE_SLOW_MS : PAIR_SURFACE_MS;
    return half.timeMs - other.timeMs <= limitMs;
  }

  /** A pair on the ground has a place in each quarter of the globe: near the poles a receiver does not tell which one is meant. */
  private isReferenced({ form, latDeg }: SaidPlace, receiver: number, learnt: LearntReceivers): boolean {
    if (form !== 'surface' || this.shown !== null) return true;
    return Math.abs(latDeg) <= POLAR_DEG && learnt.isKnown(receiver);
  }

  private isLocal(nowMs: number): boolean {
    return this.last !== null && this.oddDecodes > 0 && nowMs - this.last.timeMs < LOCAL_MS;
  }

  /** Coarse places are the same for seconds. */
  private isRepeat(place: ShownPlace): boolean {
    if (place.said.form === 'coarse') return false;
    const isSame = (known: ShownPlace | null): boolean =>
      known !== null && place.timeMs - known.timeMs <= REPEAT_MS && known.latDeg === place.latDeg && known.lonDeg === place.lonDeg;
    const fresh = this.last !== null && place.timeMs - this.last.timeMs <= REPEAT_MS;
    return fresh && (isSame(this.last) || isSame(this.before));
  }

  /** The first decode took a message of each parity and counts for both. */
  private count(odd: boolean): void {
    if (odd) this.oddDecodes += 1;
    else this.evenDecodes += 1;
    this.oddDecodes = Math.min(DECODES_MAX, Math.max(1, this.oddDecodes));
    this.evenDecodes = Math.min(DECODES_MAX, Math.max(1, this.evenDecodes));
  }

  private moveTo(place: ShownPlace): void {
    const { last } = this;
    if (last !== null) {
      const movedM = metresApart(last.latDeg, last.lonDeg, place.latDeg, place.lonDeg);
      const isOpen = Math.abs(place.latDeg) >= SPHERE_DEG && Math.abs(movedM - MOVED_M) < METRE;
      if (movedM >= MOVED_M || isOpen) {
        const deg = bearingDeg(last.latDeg, last.lonDeg, place.latDeg, place.lonDeg);
        const within = Math.atan2((last.said.stepM + place.said.stepM) / 2, movedM);
        const move = { deg, timeMs: (last.timeMs + place.timeMs) / 2, withinDeg: (within * 180) / Math.PI + 0.5 };
        if (movedM >= MOVED_M) this.move = move;
        if (movedM >= MOVED_M !== isOpen) this.roundedMove = move;
      }
    }
    this.before = last;
    this.last = place;
  }
}

function worse(a: Accuracy, b: Accuracy): Accuracy {
  return { nic: Math.min(a.nic, b.nic), rcM: a.rcM === 0 || b.rcM === 0 ? 0 : Math.max(a.rcM, b.rcM) };
}
