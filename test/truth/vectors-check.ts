// The frames of other decoders' tests, each by itself, as far as they have a truth.

import { readdirSync } from 'node:fs';
import type { Command } from '../../pipeline/runtime/command.ts';
import { decodeCommand } from '../../pipeline/tools/decode-command.ts';
import { commandRows } from './command-rows.ts';
import { compareRow, type DecodedFrame } from './decode-check.ts';
import { lines, type TruthData } from './sets.ts';
import type { Tally } from './tally.ts';

const VECTORS = 'test-vectors';
const ALL_VECTORS = 'ALL_unique.hex';
/** Fields that need more than one frame. */
const OF_STATE = new Set(['lat', 'lon', 'nic', 'rc']);
/** Lengths of a frame in hex digits. */
const FRAME_DIGITS = [14, 28];

/** Frames of the tests of other decoders, each once: from the file of all, or from the files that are there. */
function vectorsOf(data: TruthData): string[] {
  const files = data.has('frames', VECTORS, ALL_VECTORS) ? [ALL_VECTORS] : readdirSync(data.path('frames', VECTORS)).sort();
  const found = files.flatMap((file) => lines(data.text('frames', VECTORS, file))).map((line) => line.trim().toLowerCase());
  return [...new Set(found)].filter((line) => FRAME_DIGITS.includes(line.length));
}

/** Each frame by itself. Frames that are in no truth set must produce a line, whatever they contain. */
export async function checkVectors(data: TruthData, frames: ReadonlyMap<string, DecodedFrame>, tally: Tally): Promise<void> {
  const vectors = vectorsOf(data);
  let decoded = 0;
  let known = 0;
  for (const [row, frame] of vectors.entries()) {
    const found = frames.get(frame);
    if (found !== undefined) known += 1;
    await commandRows(
      decodeCommand as unknown as Command,
      ['-'],
      (ours) => {
        decoded += 1;
        if (found !== undefined) compareRow(tally, VECTORS, { ...found.truth, i: row }, ours, OF_STATE);
      },
      `${row},${frame}\n`,
    );
  }
  tally.notes.push(`${VECTORS}: ${decoded} of ${vectors.length} frames give a line, ${known} of them have a truth`);
}
