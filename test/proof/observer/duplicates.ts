// Receptions of one aircraft through several receivers: duplicates of one transmission, and the accepted receivers while a position is
// fresh.

import { rank } from './known.ts';
import type { ShownPosition } from './positions.ts';
import type { ReceivedMessage } from './received-message.ts';

const DUPLICATE_MS = 400;
const POSITION_DUPLICATE_MS = 2000;
const UNIQUE_DUPLICATE_MS = 8000;
const MOVING_KT = 50;
const GUARD_MS = 2200;
const CORROBORATING_MS = 6000;
const PROMPT_MS = 400;
/** More than an aircraft sends in the longest of these times. */
const REMEMBERED = 300;

export class Duplicates {
  private readonly transmissions = new Set<number>();
  private readonly bitsHeard = new Map<string, { readonly receiver: number; readonly timeMs: number }>();
  private readonly corroboratingReceivers = new Map<number, number>();
  private lastReceiver = -1;
  private positions: { readonly bits: string; readonly timeMs: number; readonly odd: boolean }[] = [];

  /** True when the transmission was heard before. The observer knows this, unlike a receiver. */
  isKnown({ transmission }: ReceivedMessage): boolean {
    if (this.transmissions.has(transmission)) return true;
    this.transmissions.add(transmission);
    if (this.transmissions.size > REMEMBERED) this.transmissions.delete(this.transmissions.values().next().value!);
    return false;
  }

  /** Receivers see only bits: the same bits from another receiver, shortly after, are a duplicate. */
  looksLikeDuplicate({ bits, receiver, timeMs, content, transponder, source }: ReceivedMessage, groundSpeedKt: number): boolean {
    const first = this.bitsHeard.get(bits);
    const isPosition = content.position?.form === 'airborne';
    const isUnique = isPosition && transponder && source === rank.adsb && groundSpeedKt >= MOVING_KT;
    const windowMs = isUnique ? UNIQUE_DUPLICATE_MS : isPosition || content.typeCode === 0 ? POSITION_DUPLICATE_MS : DUPLICATE_MS;
    if (first !== undefined && first.receiver !== receiver && timeMs - first.timeMs < windowMs) return true;
    this.bitsHeard.delete(bits);
    this.bitsHeard.set(bits, { receiver, timeMs });
    if (this.bitsHeard.size > REMEMBERED) this.bitsHeard.delete(this.bitsHeard.keys().next().value!);
    return false;
  }

  /** A prompt duplicate of one of the last positions makes its receiver a corroborating one. */
  hearAgain({ bits, timeMs, receiver }: ReceivedMessage): void {
    const original = this.positions.find((position) => position.bits === bits);
    if (original !== undefined && Math.abs(timeMs - original.timeMs) < PROMPT_MS) this.corroboratingReceivers.set(receiver, timeMs);
  }

  /** Stores a position for the next pair. `hasCoordinates`: it gave coordinates as well. */
  keepPosition({ bits, timeMs, receiver, content }: ReceivedMessage, hasCoordinates: boolean): void {
    const { odd } = content.position!;
    this.positions = [...this.positions.filter((last) => last.odd !== odd), { bits, timeMs, odd }];
    if (!hasCoordinates) return;
    this.corroboratingReceivers.set(receiver, timeMs);
    this.lastReceiver = receiver;
  }

  /** True when positions of both parities are newer than this. */
  hasPairSince(sinceMs: number): boolean {
    return [true, false].every((odd) => this.positions.some((last) => last.odd === odd && last.timeMs > sinceMs));
  }

  /** While the shown position is fresh, only corroborating receivers are accepted. */
  isGuarded({ timeMs, receiver }: ReceivedMessage, shown: ShownPosition | null): boolean {
    if (shown === null || timeMs - shown.timeMs >= GUARD_MS || shown.source < rank.tisb) return false;
    return (
      receiver !== this.lastReceiver && timeMs - (this.corroboratingReceivers.get(receiver) ?? Number.NEGATIVE_INFINITY) > CORROBORATING_MS
    );
  }
}
