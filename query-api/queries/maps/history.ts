// Positions of aircraft in the last hour, which readsb's web maps load at their start: a snapshot every 30 s with the members that a track needs,
// compressed. Kept in memory of this process, from its start.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits/index.ts';

const pack = promisify(gzip);

/** Aircraft per turn of the event loop: about a millisecond. */
const AIRCRAFT_PER_TURN = 250;
const MEMBERS = ['hex', 'type', 'flight', 'squawk', 'alt_baro', 'gs', 'track', 'lat', 'lon', 'seen', 'seen_pos', 'messages', 'rssi'];

type Aircraft = Readonly<Record<string, unknown>>;

export class MapHistory {
  /** Gzip, the oldest first: when one is dropped, the numbers of the others decrease. Maps order files by their `now`. */
  private readonly files: Buffer[] = [];
  private bytes = 0;
  private dueMs = Number.NEGATIVE_INFINITY;
  private writing: Promise<void> | null = null;

  /** Number of files. */
  get count(): number {
    return this.files.length;
  }

  /** A file as gzip; undefined for an unknown number. */
  file(number: number): Buffer | undefined {
    return this.files[number];
  }

  /** Call it at each snapshot: one in 30 s becomes a file. */
  note(snapshot: Snapshot): void {
    const { nowMs } = snapshot.times;
    if (nowMs < this.dueMs || this.writing !== null) return;
    this.dueMs = nowMs + limits.mapHistoryIntervalMs;
    snapshot.retain();
    this.writing = this.write(snapshot).finally(() => {
      snapshot.release();
      this.writing = null;
    });
    // A file that fails is skipped: the next one is due in 30 s.
    this.writing.catch(() => {});
  }

  /** Waits for the file in progress. */
  async settled(): Promise<void> {
    await this.writing?.catch(() => {});
  }

  private async write(snapshot: Snapshot): Promise<void> {
    const { nowMs } = snapshot.times;
    const aircraft: string[] = [];
    for (let from = 0; from < snapshot.listing.count; from += AIRCRAFT_PER_TURN) {
      const count = Math.min(AIRCRAFT_PER_TURN, snapshot.listing.count - from);
      const indices = Int32Array.from({ length: count }, (_, i) => from + i).filter((i) => snapshot.listing.hasPosition(i));
      const text = snapshot.text('readsb', { count: indices.length, indices });
      for (const each of JSON.parse(`[${text}]`) as Aircraft[]) aircraft.push(JSON.stringify(each, MEMBERS));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const body = `{"now":${(nowMs / 1000).toFixed(3)},"messages":${snapshot.totals.messages},"aircraft":[${aircraft.join(',')}]}\n`;
    this.keep(await pack(body));
  }

  private keep(file: Buffer): void {
    this.files.push(file);
    this.bytes += file.length;
    while (this.files.length > limits.mapHistoryFilesMax || this.bytes > limits.mapHistoryBytesMax)
      this.bytes -= this.files.shift()!.length;
  }
}
