// What several receivers give of the same aircraft: copies of one transmission, and whose word counts while a position is fresh.
import type { Heard } from './heard.ts';
import { rank } from './known.ts';
import type { ShownPlace } from './places.ts';

const COPY_MS = 400;
const POSITION_COPY_MS = 2000;
const UNIQUE_COPY_MS = 8000;
const MOVING_KT = 50;
const GUARD_MS = 2200;
const WITNESS_MS = 6000;
const PROMPT_MS = 400;
/** Far more than an aircraft sends in the longest of these times. */
const REMEMBERED = 300;

export class Copies {
  private readonly transmissions = new Set<number>();
  private readonly bitsHeard = new Map<string, { readonly receiver: number; readonly timeMs: number }>();
  private readonly witnesses = new Map<number, number>();
  private lastReceiver = -1;
  private positions: { readonly bits: string; readonly timeMs: number; readonly odd: boolean }[] = [];

  /** The transmission was heard before: what an observer knows who sees more than bits. */
  isKnown({ transmission }: Heard): boolean {
    if (this.transmissions.has(transmission)) return true;
    this.transmissions.add(transmission);
    if (this.transmissions.size > REMEMBERED) this.transmissions.delete(this.transmissions.values().next().value!);
    return false;
  }

  /** Receivers see bits only: the same from another receiver, shortly after, are a copy. */
  looksLikeCopy({ bits, receiver, timeMs, said, transponder, source }: Heard, groundSpeedKt: number): boolean {
    const first = this.bitsHeard.get(bits);
    const isPosition = said.place?.form === 'airborne';
    const isUnique = isPosition && transponder && source === rank.adsb && groundSpeedKt >= MOVING_KT;
    const windowMs = isUnique ? UNIQUE_COPY_MS : isPosition || said.typeCode === 0 ? POSITION_COPY_MS : COPY_MS;
    if (first !== undefined && first.receiver !== receiver && timeMs - first.timeMs < windowMs) return true;
    this.bitsHeard.delete(bits);
    this.bitsHeard.set(bits, { receiver, timeMs });
    if (this.bitsHeard.size > REMEMBERED) this.bitsHeard.delete(this.bitsHeard.keys().next().value!);
    return false;
  }

  /** A prompt copy of one of the last positions makes its receiver a witness. */
  hearAgain({ bits, timeMs, receiver }: Heard): void {
    const copied = this.positions.find((position) => position.bits === bits);
    if (copied !== undefined && Math.abs(timeMs - copied.timeMs) < PROMPT_MS) this.witnesses.set(receiver, timeMs);
  }

  /** A position was kept for the next pair; `isPlace`: it gave a place as well. */
  keepPosition({ bits, timeMs, receiver, said }: Heard, isPlace: boolean): void {
    const { odd } = said.place!;
    this.positions = [...this.positions.filter((last) => last.odd !== odd), { bits, timeMs, odd }];
    if (!isPlace) return;
    this.witnesses.set(receiver, timeMs);
    this.lastReceiver = receiver;
  }

  /** Positions of both parities are younger than this. */
  hasPairSince(sinceMs: number): boolean {
    return [true, false].every((odd) => this.positions.some((last) => last.odd === odd && last.timeMs > sinceMs));
  }

  /** While the shown place is fresh, only witnesses are believed. */
  isGuarded({ timeMs, receiver }: Heard, shown: ShownPlace | null): boolean {
    if (shown === null || timeMs - shown.timeMs >= GUARD_MS || shown.source < rank.tisb) return false;
    return receiver !== this.lastReceiver && timeMs - (this.witnesses.get(receiver) ?? Number.NEGATIVE_INFINITY) > WITNESS_MS;
  }
}
