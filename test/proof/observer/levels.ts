// Signal level of an aircraft: the mean power of its last eight messages with a level. Duplicates have no part in it.
import { rank } from './known.ts';
import type { ReceivedMessage } from './received-message.ts';

const LEVELS = 8;
const LEVELS_MIN = 4;
const RESET_MS = 15_000;

export class Levels {
  private readonly levels: number[] = [];
  private lastMs = Number.NEGATIVE_INFINITY;

  hear({ signal, source, timeMs }: ReceivedMessage): void {
    if (signal > 0 && source !== rank.mlat) {
      this.levels.push(signal);
      if (this.levels.length > LEVELS) this.levels.shift();
      this.lastMs = Math.max(this.lastMs, timeMs);
    } else if (timeMs - this.lastMs > RESET_MS) {
      this.levels.length = 0;
    }
  }

  /** Mean power of the last eight levels, dBFS to a tenth. */
  get rssi(): number {
    const mean = this.levels.length < LEVELS_MIN ? 0 : this.levels.reduce((sum, level) => sum + (level / 255) ** 2, 0) / LEVELS;
    return Math.round(100 * Math.log10(mean + 1.125e-5)) / 10;
  }
}
