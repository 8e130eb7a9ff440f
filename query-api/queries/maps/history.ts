// Positions of aircraft in the last hour, which readsb's web maps load at their start: a snapshot every 30 s with the members that a track needs,
// compressed. Kept in memory of this process, from its start.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { members } from '../../../pipeline/view/members.ts';
import { RowWriter, tailOf } from '../../../pipeline/view/render.ts';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits/index.ts';

const pack = promisify(gzip);

/** Aircraft per turn of the event loop: about a millisecond. */
const AIRCRAFT_PER_TURN = 250;
/** Members of an object behind its head; the whole position is written with `lat`. */
const MEMBERS = ['flight', 'squawk', 'alt_baro', 'gs', 'track', 'lat', 'seen', 'messages', 'rssi'];
const TAIL = tailOf(members.filter(({ member }) => MEMBERS.includes(member)));
/** Upper bound of an object. */
const OBJECT_BYTES = 512;
const COMMA = 0x2c;

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
    const { listing, times, totals } = snapshot;
    const writer = new RowWriter(listing, times.nowMs, TAIL);
    const bytes = Buffer.alloc(AIRCRAFT_PER_TURN * OBJECT_BYTES);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let aircraft = '';
    for (let from = 0; from < listing.count; from += AIRCRAFT_PER_TURN) {
      let at = 0;
      for (let i = from; i < Math.min(listing.count, from + AIRCRAFT_PER_TURN); i += 1) {
        if (!listing.hasPosition(i)) continue;
        at = writer.putTail(view, writer.putReadsbHead(view, at, i), i);
        view.setUint8(at, COMMA);
        at += 1;
      }
      aircraft += bytes.toString('latin1', 0, at);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const body = `{"now":${(times.nowMs / 1000).toFixed(3)},"messages":${totals.messages},"aircraft":[${aircraft.slice(0, -1)}]}\n`;
    this.keep(await pack(body));
  }

  private keep(file: Buffer): void {
    this.files.push(file);
    this.bytes += file.length;
    while (this.files.length > limits.mapHistoryFilesMax || this.bytes > limits.mapHistoryBytesMax)
      this.bytes -= this.files.shift()!.length;
  }
}
