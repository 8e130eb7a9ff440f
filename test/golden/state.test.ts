// Every position and accuracy of recorded flights on which two independent decoders agree, through the fold. test/truth compares the whole state of each
// aircraft with readsb's.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createFrameOutcome } from '../../pipeline/fold/frame-outcome.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { goldenData } from '../support/requirements.ts';
import { readCsvFrames } from './fold-frames.ts';

/** References differ among each other by so much. */
const NEAR = { lat: 1e-5, lon: 1e-5, nic: 0, rc: 1.5 } as const;
const FIELDS = Object.keys(NEAR) as (keyof typeof NEAR)[];

describe.each([
  ['rs1090_short_flights', 163],
  ['pymodes_sample_adsb', 929],
  ['twuillemin_example2', 179],
] as const)('%s', (set, positions) => {
  const frames = goldenData('frames', `${set}.csv`);
  test.skipIf(!frames.met)(`gives all ${positions} positions, with NIC and Rc${frames.met ? '' : ` (${frames.reason})`}`, () => {
    const truth = readFileSync(goldenData('truth', `${set}.jsonl`).path, 'utf8')
      .trim()
      .split('\n');
    const fold = new PartitionFold({ tickMs: 1000, receiver: null });
    const outcome = createFrameOutcome();
    const receiver = fold.receiverNumber('here');
    const differences: string[] = [];
    let compared = 0;
    for (const [row, { bytes, timeUs }] of readCsvFrames(frames.path).entries()) {
      fold.advance(timeUs, null);
      fold.applyFrame({ bytes, at: 0, byteLength: bytes.length as 7 | 14, timeUs, signal: 128, flags: 0 }, receiver, outcome);
      const { agreed } = JSON.parse(truth[row]!) as { agreed: Partial<Record<(typeof FIELDS)[number], number>> };
      if (agreed.lat !== undefined) compared += 1;
      const { latitudeMicrodeg, longitudeMicrodeg, nic, rcM } = outcome;
      const ours = { lat: latitudeMicrodeg / 1e6, lon: longitudeMicrodeg / 1e6, nic, rc: rcM };
      for (const field of FIELDS) {
        const expected = agreed[field];
        if (expected === undefined || (outcome.positionResolved && Math.abs(ours[field] - expected) <= NEAR[field] + 1e-9)) continue;
        differences.push(`row ${row} ${field}: ${outcome.positionResolved ? ours[field] : 'none'} for ${expected}`);
      }
    }
    expect(differences).toEqual([]);
    expect(compared).toBe(positions);
  });
});
