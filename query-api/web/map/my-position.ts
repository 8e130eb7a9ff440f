// My position: where this device is, or where I clicked on the map. It is kept in this browser and never sent.
import type { Position } from '../sky/mercator.ts';

const KEY = 'squitter-me';
const LOCATE_MS = 10_000;

export class Me {
  position: Position | null;
  /** True while the next click on the map is my position. */
  isAsking = false;
  private readonly listeners: (() => void)[] = [];

  constructor() {
    const stored = /^(-?[\d.]+),(-?[\d.]+)$/.exec(localStorage.getItem(KEY) ?? '');
    this.position = stored === null ? null : { lat: Number(stored[1]), lon: Number(stored[2]) };
  }

  /** Calls the listener now and after each change. */
  listen(listener: () => void): void {
    this.listeners.push(listener);
    listener();
  }

  set(position: Position | null): void {
    this.position = position;
    this.isAsking = false;
    if (position === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, `${position.lat.toFixed(5)},${position.lon.toFixed(5)}`);
    this.changed();
  }

  ask(isAsking: boolean): void {
    this.isAsking = isAsking;
    this.changed();
  }

  /** From the browser, which asks first, and only over https or on localhost; otherwise the next click on the map says it. */
  locate(): void {
    if (!isSecureContext || !('geolocation' in navigator)) {
      this.ask(true);
      return;
    }
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => this.set({ lat: coords.latitude, lon: coords.longitude }),
      () => this.ask(true),
      { timeout: LOCATE_MS, maximumAge: LOCATE_MS },
    );
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
