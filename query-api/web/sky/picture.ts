// The worker's message to the page: one picture of all aircraft that are shown, as columns, and objects of the few that are selected or in the table.
// `BYTES` bytes per aircraft go to the graphics card as they are: map/aircraft-layer.ts reads them with the offsets below.

import type { ColourKind } from '../page/view.ts';

/** An aircraft with the member names of `/v2`. */
export type Aircraft = Readonly<Record<string, unknown>> & { readonly hex: string };

export const BYTES = 36;
/** Byte offsets. `position`: x and y in Web Mercator from 0 to 1, as four 32-bit floats: high parts, then what they lack. */
export const offsets = { position: 0, velocity: 16, time: 24, track: 28, shape: 30, flags: 31, colour: 32 } as const;
/** `velocity` is in Mercator units per second, `time` in seconds after the picture's, mostly negative. */
export const flags = { selected: 1, emergency: 2, ground: 4, stale: 8, noTrack: 16 } as const;

export interface Picture {
  readonly kind: 'picture';
  /** Time of the data, ms since the Unix epoch. */
  readonly nowMs: number;
  readonly clock: Clock;
  readonly count: number;
  /** `count` times BYTES. */
  readonly instances: ArrayBuffer;
  /** Addresses; bit 24 is set for one that is not from ICAO. */
  readonly keys: Uint32Array;
  /** Feet; see GROUND and NONE. */
  readonly altitudes: Int32Array;
  /** Knots, or NONE. */
  readonly speeds: Int32Array;
  /** Aircraft known, with and without a position, before filters. */
  readonly counts: Counts;
  /** Emergencies, shown or not. */
  readonly emergencies: readonly Aircraft[];
}
/** The speed of time after a picture: seconds of the data per second, 0 for a moment that stays. */
export interface Clock {
  readonly isLive: boolean;
  readonly pace: number;
}
export const LIVE: Clock = { isLive: true, pace: 1 };

export const GROUND = -100_000;
export const NONE = -200_000;

export interface Counts {
  readonly aircraft: number;
  readonly located: number;
  readonly shown: number;
}

/** Call signs, registrations or addresses that changed since the last picture; empty for an aircraft that is gone. */
export interface Names {
  readonly kind: 'names';
  readonly names: readonly (readonly [key: number, name: string])[];
}

/** Objects that the page asked for. */
export interface Details {
  readonly kind: 'details';
  readonly nowMs: number;
  /** In the order of the selection; those that are not known are missing. */
  readonly selected: readonly Aircraft[];
  readonly rows: readonly Aircraft[];
  /** Rows of the whole table, and the first of `rows`. */
  readonly rowCount: number;
  readonly rowFrom: number;
}

/** How the source does. */
export interface Status {
  readonly kind: 'status';
  readonly state: 'connecting' | 'live' | 'waiting' | 'failed' | 'past';
  /** The problem, for people; empty without one. */
  readonly problem: string;
  /** Between pictures; null is unknown. */
  readonly intervalMs: number | null;
  readonly past?: PastState;
}

export interface PastState {
  /** `log`: folded, exact. `history`: the newest stored position of each aircraft in the minute before. `positions`: all stored ones. `slices`: one in 30 s. Null: none yet. */
  readonly from: 'log' | 'history' | 'positions' | 'slices' | null;
  readonly isLoading: boolean;
  /** Why there is no aircraft, or none that can be played; the code of the error. */
  readonly code: string;
  /** The player has come to the present. */
  readonly isAtEnd: boolean;
}

export const LOADING: PastState = { from: null, isLoading: true, code: '', isAtEnd: false };

/** Degrees; one that crosses the antimeridian has `west` greater than `east`. */
export interface Box {
  readonly south: number;
  readonly west: number;
  readonly north: number;
  readonly east: number;
}
export const WORLD: Box = { south: -90, west: -180, north: 90, east: 180 };

export interface City {
  readonly name: string;
  readonly lat: number;
  readonly lon: number;
}
export interface Found {
  readonly kind: 'found';
  readonly query: string;
  readonly aircraft: readonly Aircraft[];
  readonly cities: readonly City[];
}

export type FromSky = Picture | Names | Details | Status | Found;

/** Requests of the page. The worker keeps the last of each kind. */
export type ToSky =
  | { readonly kind: 'start'; readonly base: string }
  | {
      readonly kind: 'want';
      readonly filters: Readonly<Record<string, string>>;
      readonly colour: ColourKind;
      readonly isDark: boolean;
      readonly selected: readonly string[];
      readonly isolated: boolean;
    }
  | { readonly kind: 'table'; readonly sort: string; readonly from: number; readonly count: number }
  | { readonly kind: 'find'; readonly query: string }
  | { readonly kind: 'hidden'; readonly isHidden: boolean }
  /** The area in view: stored positions are requested for it, and on a slow link live aircraft. */
  | { readonly kind: 'box'; readonly box: Box }
  | { readonly kind: 'moment'; readonly atMs: number | null; readonly pace: number };

export const keyOf = (hex: string): number =>
  hex.startsWith('~') ? Number.parseInt(hex.slice(1), 16) + 2 ** 24 : Number.parseInt(hex, 16);
export const hexOf = (key: number): string => `${key >= 2 ** 24 ? '~' : ''}${(key % 2 ** 24).toString(16).padStart(6, '0')}`;
