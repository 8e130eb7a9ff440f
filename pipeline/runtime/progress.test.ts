// Progress lines: share, count, rate, time left; at a readable rate.
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { createProgress } from './progress.ts';

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
  expect(lines[0]).toBe('20 %, 5,000 frames, 1,000 frames/s, 19 s left\n');
});
