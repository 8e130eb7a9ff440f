// Kind and version of an aircraft: `type` follows positions at once and everything else slowly; the ADS-B version goes with it.
import type { Heard } from './heard.ts';
import { type Rank, rank } from './known.ts';

/** Best first; Mode S stands between ADS-C and MLAT where it takes over. */
const KINDS = [
  ...['adsb_icao', 'adsb_icao_nt', 'adsr_icao', 'tisb_icao', 'adsc', 'mlat', 'other', 'mode_s', 'adsb_other', 'adsr_other'],
  ...['tisb_trackfile', 'tisb_other'],
];
const BETTER_MS = 45_000;
const WORSE_MS = 90_000;
const MODE_S = 'mode_s';
const PLACED_MS = 60_000;

export class Kinds {
  kind: string | null = null;
  /** Of ADS-B; null while it is another kind of aircraft. */
  version: number | null = null;
  private kindMs = Number.NEGATIVE_INFINITY;
  private relayed = new Map<Rank, number>();

  /** What a message tells by coming. `lastPlace`: the last place of the aircraft. The version that its sender is taken for; −1 without one. */
  hear(heard: Heard, lastPlace: { readonly source: Rank; readonly timeMs: number } | null): number {
    this.hearKind(heard, lastPlace);
    return this.hearVersion(heard);
  }

  /** A place was taken over from this message. */
  set(kind: string, { timeMs, source }: Heard): void {
    this.kind = kind;
    this.kindMs = timeMs;
    if (KINDS.indexOf(kind) > 1 && source !== rank.adsb) this.version = null;
  }

  /** A message of this kind is none that is yet to become the aircraft's. */
  isOwn(kind: string): boolean {
    return this.kind === null || KINDS.indexOf(kind) >= KINDS.indexOf(this.kind);
  }

  /** Where it stood, for a message that counts for nothing in the end. */
  keep(): () => void {
    const { kind, version, kindMs } = this;
    const relayed = new Map(this.relayed);
    return () => Object.assign(this, { kind, version, kindMs, relayed });
  }

  private hearKind(heard: Heard, lastPlace: { readonly source: Rank; readonly timeMs: number } | null): void {
    const { kind, timeMs } = heard;
    const ageMs = timeMs - this.kindMs;
    if (this.kind !== null && !(ageMs > WORSE_MS || (ageMs > BETTER_MS && orderOf(kind) <= orderOf(this.kind)))) return;
    const placed = lastPlace !== null && lastPlace.source === rank.adsb && timeMs - lastPlace.timeMs <= PLACED_MS;
    const next = kind === 'adsb_icao' && !placed ? MODE_S : kind;
    this.set(next, heard);
    if (KINDS.indexOf(next) > 1) this.version = null;
  }

  private hearVersion({ source, said }: Heard): number {
    if (source < rank.tisb) return -1;
    if (source === rank.adsb) {
      this.version = said.version ?? this.version ?? 0;
      return this.version;
    }
    const version = said.version ?? this.relayed.get(source) ?? 0;
    this.relayed.set(source, version);
    return version;
  }
}

function orderOf(kind: string): number {
  return kind === MODE_S ? KINDS.indexOf('mlat') - 0.5 : KINDS.indexOf(kind);
}
