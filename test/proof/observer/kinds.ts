// Kind and version of an aircraft. `type` follows positions at once and other messages slowly; the ADS-B version goes with it.

import { type Rank, rank } from './known.ts';
import type { ReceivedMessage } from './received-message.ts';

/** Best first; Mode S ranks between ADS-C and MLAT for a change of kind. */
const KINDS = [
  ...['adsb_icao', 'adsb_icao_nt', 'adsr_icao', 'tisb_icao', 'adsc', 'mlat', 'other', 'mode_s', 'adsb_other', 'adsr_other'],
  ...['tisb_trackfile', 'tisb_other'],
];
const BETTER_MS = 45_000;
const WORSE_MS = 90_000;
const MODE_S = 'mode_s';
const POSITION_MS = 60_000;

export class Kinds {
  kind: string | null = null;
  /** ADS-B version; null while the aircraft is of another kind. */
  version: number | null = null;
  private kindMs = Number.NEGATIVE_INFINITY;
  private relayed = new Map<Rank, number>();

  /**
   * Updates kind and version from a message. `lastPosition` is the last position of the aircraft. Returns the assumed version of the sender,
   * −1 without one.
   */
  hear(heard: ReceivedMessage, lastPosition: { readonly source: Rank; readonly timeMs: number } | null): number {
    this.hearKind(heard, lastPosition);
    return this.hearVersion(heard);
  }

  /** Sets the kind from an accepted position. */
  set(kind: string, { timeMs, source }: ReceivedMessage): void {
    this.kind = kind;
    this.kindMs = timeMs;
    if (KINDS.indexOf(kind) > 1 && source !== rank.adsb) this.version = null;
  }

  /** False while messages of this kind have not become the kind of the aircraft. */
  isOwn(kind: string): boolean {
    return this.kind === null || KINDS.indexOf(kind) >= KINDS.indexOf(this.kind);
  }

  /** Saves the state and returns a function that restores it, for a message that is ignored in the end. */
  keep(): () => void {
    const { kind, version, kindMs } = this;
    const relayed = new Map(this.relayed);
    return () => Object.assign(this, { kind, version, kindMs, relayed });
  }

  private hearKind(heard: ReceivedMessage, lastPosition: { readonly source: Rank; readonly timeMs: number } | null): void {
    const { kind, timeMs } = heard;
    const ageMs = timeMs - this.kindMs;
    if (this.kind !== null && !(ageMs > WORSE_MS || (ageMs > BETTER_MS && orderOf(kind) <= orderOf(this.kind)))) return;
    const hasPosition = lastPosition !== null && lastPosition.source === rank.adsb && timeMs - lastPosition.timeMs <= POSITION_MS;
    const next = kind === 'adsb_icao' && !hasPosition ? MODE_S : kind;
    this.set(next, heard);
    if (KINDS.indexOf(next) > 1) this.version = null;
  }

  private hearVersion({ source, content }: ReceivedMessage): number {
    if (source < rank.tisb) return -1;
    if (source === rank.adsb) {
      this.version = content.version ?? this.version ?? 0;
      return this.version;
    }
    const version = content.version ?? this.relayed.get(source) ?? 0;
    this.relayed.set(source, version);
    return version;
  }
}

function orderOf(kind: string): number {
  return kind === MODE_S ? KINDS.indexOf('mlat') - 0.5 : KINDS.indexOf(kind);
}
