// When the positions of an aircraft may be shown: pairs of odd and even messages, two global decodes of each parity, surface positions by
// the receiver location. DO-260B §2.2.10.3; the numbers are those of the field rules.
import { bearingDeg, metresApart, type PositionForm } from './coding.ts';
import { mayReplace, type Rank, rank } from './known.ts';
import type { MessagePosition } from './message-content.ts';

const PAIR_MS = 10_000;
const PAIR_SURFACE_MS = 25_000;
const PAIR_SURFACE_SLOW_MS = 50_000;
const SLOW_KT = 25;
const DECODES = 2;
const DECODES_MAX = 4;
const LOCAL_MS = 600_000;
const REPEAT_MS = 2000;
const MOVED_M = 100;
/** Above this latitude, distances are taken on the sphere, in whole metres. */
const SPHERE_DEG = 80;
const METRE = 1;
const POLAR_DEG = 84;
const RECEIVER_POSITIONS = 100;
const RECEIVER_LAT_DEG = 12;
const RECEIVER_LON_DEG = 30;

export interface ShownPosition {
  readonly latDeg: number;
  readonly lonDeg: number;
  readonly nic: number;
  readonly rcM: number;
  readonly timeMs: number;
  readonly source: Rank;
  readonly content: MessagePosition;
}

interface Half {
  readonly timeMs: number;
  readonly source: Rank;
  readonly form: PositionForm;
  readonly zones: number;
  readonly accuracy: Accuracy;
}

interface Accuracy {
  readonly nic: number;
  readonly rcM: number;
}

/** NIC and Rc by type code, with all supplements 0. DO-260B tables 2-69, 2-70; DO-260 table 2-11. Unknown: 0. */
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

/** Receiver coverage learnt from airborne positions: surface positions are resolved near its middle. */
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
    // Longitudes continue across the antimeridian.
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

/** A move between two positions. */
export interface PositionMove {
  readonly deg: number;
  /** Middle of the times of the two positions. */
  readonly timeMs: number;
  /** Tolerance from the coding steps of the positions. */
  readonly withinDeg: number;
}

export type PositionOutcome = 'shown' | 'kept' | 'repeated' | 'closed';

export class Positions {
  /** The last position that may be shown, and the last one of all. */
  shown: ShownPosition | null = null;
  last: ShownPosition | null = null;
  private before: ShownPosition | null = null;
  /** The last move of at least 100 m; null before the first. */
  move: PositionMove | null = null;
  /**
   * The same in whole metres, as distances near the poles are computed: there a move of almost 100 m may count, and one of little more may
   * not.
   */
  roundedMove: PositionMove | null = null;
  private readonly halves = new Map<boolean, Half>();
  private oddDecodes = 0;
  private evenDecodes = 0;

  accept(
    content: MessagePosition,
    speedKt: number | null,
    source: Rank,
    nowMs: number,
    receiver: number,
    learnt: LearntReceivers,
  ): PositionOutcome {
    const own = this.halves.get(content.odd);
    if ((this.last !== null && nowMs < this.last.timeMs) || !mayReplace(own, source, nowMs)) return 'closed';
    const accuracy = ACCURACY[content.typeCode] ?? UNKNOWN;
    const half: Half = { timeMs: nowMs, source, form: content.form, zones: content.zones, accuracy };
    const other = this.halves.get(!content.odd);
    const global = other !== undefined && this.isPair(half, other, speedKt) && this.isReferenced(content, receiver, learnt);
    if (!global && !this.isLocal(nowMs)) {
      this.halves.set(content.odd, half);
      return 'kept';
    }
    const { nic, rcM } = global ? worse(accuracy, other.accuracy) : accuracy;
    const position: ShownPosition = { latDeg: content.latDeg, lonDeg: content.lonDeg, nic, rcM, timeMs: nowMs, source, content };
    if (this.isRepeat(position)) return 'repeated';
    this.halves.set(content.odd, half);
    if (!mayReplace(this.last ?? undefined, source, nowMs)) return 'kept';
    if (global) this.count(content.odd);
    this.moveTo(position);
    if (source !== rank.mlat && (this.oddDecodes < DECODES || this.evenDecodes < DECODES)) return 'kept';
    if (!mayReplace(this.shown ?? undefined, source, nowMs)) return 'kept';
    this.shown = position;
    if (global && source === rank.adsb && content.form === 'airborne') learnt.learn(receiver, content.latDeg, content.lonDeg);
    return 'shown';
  }

  private isPair(half: Half, other: Half, speedKt: number | null): boolean {
    if (half.form !== other.form || half.source !== other.source) return false;
    // A pair has no position when the number of longitude zones changes between its halves.
    if (half.zones !== other.zones) return false;
    const slow = speedKt !== null && speedKt <= SLOW_KT;
    const limitMs = half.form !== 'surface' ? PAIR_MS : slow ? PAIR_SURFACE_SLOW_MS : PAIR_SURFACE_MS;
    return half.timeMs - other.timeMs <= limitMs;
  }

  /** A surface pair has a position in each quarter of the globe. Near the poles the receiver location does not select one. */
  private isReferenced({ form, latDeg }: MessagePosition, receiver: number, learnt: LearntReceivers): boolean {
    if (form !== 'surface' || this.shown !== null) return true;
    return Math.abs(latDeg) <= POLAR_DEG && learnt.isKnown(receiver);
  }

  private isLocal(nowMs: number): boolean {
    return this.last !== null && this.oddDecodes > 0 && nowMs - this.last.timeMs < LOCAL_MS;
  }

  /** Coarse positions stay the same for seconds. */
  private isRepeat(position: ShownPosition): boolean {
    if (position.content.form === 'coarse') return false;
    const isSame = (known: ShownPosition | null): boolean =>
      known !== null && position.timeMs - known.timeMs <= REPEAT_MS && known.latDeg === position.latDeg && known.lonDeg === position.lonDeg;
    const fresh = this.last !== null && position.timeMs - this.last.timeMs <= REPEAT_MS;
    return fresh && (isSame(this.last) || isSame(this.before));
  }

  /** The first decode used a message of each parity and counts for both. */
  private count(odd: boolean): void {
    if (odd) this.oddDecodes += 1;
    else this.evenDecodes += 1;
    this.oddDecodes = Math.min(DECODES_MAX, Math.max(1, this.oddDecodes));
    this.evenDecodes = Math.min(DECODES_MAX, Math.max(1, this.evenDecodes));
  }

  private moveTo(position: ShownPosition): void {
    const { last } = this;
    if (last !== null) {
      const movedM = metresApart(last.latDeg, last.lonDeg, position.latDeg, position.lonDeg);
      const isOpen = Math.abs(position.latDeg) >= SPHERE_DEG && Math.abs(movedM - MOVED_M) < METRE;
      if (movedM >= MOVED_M || isOpen) {
        const deg = bearingDeg(last.latDeg, last.lonDeg, position.latDeg, position.lonDeg);
        const within = Math.atan2((last.content.stepM + position.content.stepM) / 2, movedM);
        const move = { deg, timeMs: (last.timeMs + position.timeMs) / 2, withinDeg: (within * 180) / Math.PI + 0.5 };
        if (movedM >= MOVED_M) this.move = move;
        if (movedM >= MOVED_M !== isOpen) this.roundedMove = move;
      }
    }
    this.before = last;
    this.last = position;
  }
}

function worse(a: Accuracy, b: Accuracy): Accuracy {
  return { nic: Math.min(a.nic, b.nic), rcM: a.rcM === 0 || b.rcM === 0 ? 0 : Math.max(a.rcM, b.rcM) };
}
