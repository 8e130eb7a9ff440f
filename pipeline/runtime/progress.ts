// Progress of long work on stderr: share done, rate and time left. One line rewritten on a terminal, a line every few seconds elsewhere.
import type { Writable } from 'node:stream';

export interface Progress {
  /** `done` of `total` work units (bytes, seconds); `count` items so far. A total of 0 is unknown. */
  update(done: number, total: number, count: number): void;
  end(): void;
}

const TERMINAL_INTERVAL_MS = 200;
const LINE_INTERVAL_MS = 5000;

/** `what` names the counted items: frames, records. The clock is a parameter for tests. */
export function createProgress(stderr: Writable & { isTTY?: boolean }, what: string, nowMs: () => number): Progress {
  const terminal = stderr.isTTY === true;
  const intervalMs = terminal ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS;
  const startMs = nowMs();
  let shownMs = startMs;
  let latest = '';
  const show = (): void => {
    if (latest !== '') stderr.write(terminal ? `\r${latest}\u001b[K` : `${latest}\n`);
  };
  return {
    update(done, total, count) {
      const now = nowMs();
      if (now - shownMs < intervalMs) return;
      shownMs = now;
      latest = progressLine(what, done, total, count, (now - startMs) / 1000);
      show();
    },
    end() {
      if (terminal && latest !== '') stderr.write('\n');
    },
  };
}

/** `42 %, 1,200,000 frames, 310,000 frames/s, 12 s left`. */
function progressLine(what: string, done: number, total: number, count: number, elapsedS: number): string {
  const rate = elapsedS > 0 ? Math.round(count / elapsedS) : 0;
  const parts = [`${count.toLocaleString('en')} ${what}`, `${rate.toLocaleString('en')} ${what}/s`];
  if (total > 0) {
    const share = Math.min(1, done / total);
    parts.unshift(`${Math.floor(share * 100)} %`);
    if (share > 0) parts.push(`${Math.ceil((elapsedS / share) * (1 - share))} s left`);
  }
  return parts.join(', ');
}
