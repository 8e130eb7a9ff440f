// The fold compared with readsb 3.14 on the same recorded frames: every accepted position, and the whole aircraft at each. Also every
// position and accuracy on which two independent decoders agree.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createFrameOutcome, type FrameOutcome } from '../../pipeline/fold/frame-outcome.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { goldenData } from '../support/requirements.ts';
import { type RecordedFrame, readCsvFrames, readsbNames } from './fold-frames.ts';

type Fields = Record<string, unknown>;

/** Not in the fold (clock, receiver of the frame), or not in the recording. */
const NOT_COMPARED = new Set(['now', 'hex', 'r_dst', 'r_dir', 'gpsOkBefore', 'lastPosition']);
/** Differences among the references. */
const NEAR: Record<string, number> = { lat: 1e-5, lon: 1e-5, gs: 1, rc: 1.5, nav_qnh: 0.06, seen: 0.1, seen_pos: 0.1, rssi: 0.1 };
const ANGLES: Record<string, number> = { track: 0.25, nav_heading: 0.25, mag_heading: 0.25, true_heading: 1 };
/** A position of ours matches one of readsb's when the times differ by less than this. */
const SAME_TIME_MS = 3;

/** A position missing in readsb's output: the recording ends 2 ms after it, before readsb printed it. The other decoders have it. */
const LOST_BY_READSB = ['acf4e8 at 1753827846401'];
/** An object that readsb printed after it had folded the next frame, 1 ms later: its `messages` and `baro_rate` are from that frame. */
const PRINTED_A_FRAME_LATE = 'acf4e8 at 1753827839326';

function isSame(field: string, ours: unknown, truth: unknown): boolean {
  if (typeof ours === 'number' && typeof truth === 'number') {
    const difference = Math.abs(ours - truth);
    if (field in ANGLES) return Math.min(difference, 360 - difference) <= ANGLES[field]!;
    return difference <= (NEAR[field] ?? 0) + 1e-9;
  }
  if (Array.isArray(ours) && Array.isArray(truth)) return [...ours].sort().join() === [...truth].sort().join();
  return ours === truth;
}

function foldFrames(frames: readonly RecordedFrame[], each: (fold: PartitionFold, outcome: FrameOutcome, index: number) => void): void {
  const fold = new PartitionFold({ tickMs: 1000, receiver: null });
  const outcome = createFrameOutcome();
  const receiver = fold.receiverNumber('here');
  frames.forEach(({ bytes, timeUs }, index) => {
    fold.advance(timeUs, null);
    fold.applyFrame({ bytes, at: 0, byteLength: bytes.length as 7 | 14, timeUs, signal: 128, flags: 0 }, receiver, outcome);
    each(fold, outcome, index);
  });
}

function readJsonLines(path: string): Fields[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Fields);
}

const recording = goldenData('frames', 'rs1090_short_flights.csv');
test.skipIf(!recording.met)(
  `rs1090_short_flights: 146 positions, every field as in readsb${recording.met ? '' : ` (${recording.reason})`}`,
  () => {
    const truth = readJsonLines(goldenData('truth', 'rs1090_short_flights.readsb-aircraft.jsonl').path);
    const frames = readCsvFrames(recording.path);
    const differences: string[] = [];
    const extra: string[] = [];
    let compared = 0;
    let waiting: (() => void) | null = null;
    foldFrames(frames, (fold, outcome, index) => {
      waiting?.();
      waiting = null;
      if (!outcome.positionAccepted) return;
      const nowMs = Math.floor(frames[index]!.timeUs / 1000);
      const { slot } = outcome;
      const where = `${fold.state(slot, nowMs).hex} at ${nowMs}`;
      const compare = () => compareState(where, nowMs, readsbNames(fold.state(slot, nowMs), nowMs));
      if (where === PRINTED_A_FRAME_LATE) waiting = compare;
      else compare();
    });
    function compareState(where: string, nowMs: number, ours: Fields): void {
      const at = truth.findIndex((row) => row['hex'] === ours['hex'] && Math.abs(Number(row['now']) * 1000 - nowMs) < SAME_TIME_MS);
      if (at < 0) {
        extra.push(where);
        return;
      }
      const [reference] = truth.splice(at, 1);
      for (const field of new Set([...Object.keys(reference!), ...Object.keys(ours)])) {
        if (NOT_COMPARED.has(field) || (ours[field] === undefined && reference![field] === undefined)) continue;
        // readsb, like ours, shows no signal level below four messages; its recording shows one from the first on.
        if (field === 'rssi' && ours[field] === -49.5) continue;
        compared += 1;
        if (!isSame(field, ours[field], reference![field]))
          differences.push(`${where} ${field}: ${JSON.stringify(ours[field])} for ${JSON.stringify(reference![field])}`);
      }
    }
    expect(differences).toEqual([]);
    expect(truth.map((row) => `${String(row['hex'])} at ${String(row['now'])}`)).toEqual([]);
    expect(extra).toEqual(LOST_BY_READSB);
    expect(compared).toBeGreaterThan(4000);
  },
);

describe.each([
  ['rs1090_short_flights', 163],
  ['pymodes_sample_adsb', 929],
  ['twuillemin_example2', 179],
] as const)('%s', (set, positionCount) => {
  const frames = goldenData('frames', `${set}.csv`);
  test.skipIf(!frames.met)(`gives all ${positionCount} positions, with NIC and Rc${frames.met ? '' : ` (${frames.reason})`}`, () => {
    const truth = readJsonLines(goldenData('truth', `${set}.jsonl`).path).map((row) => row['agreed'] as Fields);
    const differences: string[] = [];
    let compared = 0;
    foldFrames(readCsvFrames(frames.path), (_, outcome, index) => {
      const reference = truth[index]!;
      if (reference['lat'] !== undefined) compared += 1;
      const ours: Fields = outcome.positionResolved
        ? { lat: outcome.latitudeMicrodeg / 1e6, lon: outcome.longitudeMicrodeg / 1e6, nic: outcome.nic, rc: outcome.rcM }
        : {};
      for (const field of ['lat', 'lon', 'nic', 'rc'])
        if (reference[field] !== undefined && !isSame(field, ours[field], reference[field]))
          differences.push(`row ${index} ${field}: ${String(ours[field])} for ${String(reference[field])}`);
    });
    expect(differences).toEqual([]);
    expect(compared).toBe(positionCount);
  });
});
