// Progress lines: share, count, rate, time left; at a readable rate.
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { createProgress, progressLine } from './progress.ts';

it.each([
  [25, 100, 5000, 10, '25 %, 5,000 frames, 500 frames/s, 30 s left'],
  [7, 0, 5000, 10, '5,000 frames, 500 frames/s'],
  [0, 100, 0, 0, '0 %, 0 frames, 0 frames/s'],
])('%i of %i', (done, total, count, elapsedS, line) => expect(progressLine('frames', done, total, count, elapsedS)).toBe(line));

it('writes a line every 5 s to a file and none before', () => {
  const lines: string[] = [];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  let nowMs = 0;
  const progress = createProgress(stderr, 'frames', () => nowMs);
  for (; nowMs <= 12_000; nowMs += 100) progress.update(nowMs, 24_000, nowMs);
  progress.end();
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^20 %, .* left\n$/);
});
