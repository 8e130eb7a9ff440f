// What is in the side of the map, and what an aircraft's panel is made of.
import type { View } from '../page/view.ts';
import type { Aircraft } from '../sky/picture.ts';

export interface Panel {
  readonly element: HTMLElement;
  /** What is shown; empty while nothing is. */
  readonly key: (view: View) => string;
  /** Short, for a button and an announcement. */
  readonly title: (view: View) => string;
  /** Changes the view so that the panel is not open. */
  readonly close: () => void;
}

/** A part of the panel of an aircraft. */
export interface Section {
  readonly element: HTMLElement;
  /** Another aircraft or another moment, ms since the Unix epoch; null is now. */
  show(hex: string, atMs: number | null): void;
  /** The aircraft as it is in the newest picture. */
  update(aircraft: Aircraft, nowMs: number): void;
}
