// A process with the embedded LimitStore, for tests that kill it or fill its disk: `node limit-store-child.js FOLDER kill` or `… FOLDER BALLAST`.
import { rmSync } from 'node:fs';
import { EmbeddedLimitStore } from '../../query-api/access/embedded-limit-store.ts';

const [folder = '', mode = ''] = process.argv.slice(2);
const nowMs = Date.parse('2026-03-02T12:00:00Z');
const store = new EmbeddedLimitStore({ folder, nowMs: () => nowMs });
const caller = 'feeder/00000000000000ab';
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const problemIs = async (isExpected: (problem: string | null) => boolean): Promise<string | null> => {
  for (;;) {
    const problem = store.problem();
    if (isExpected(problem)) return problem;
    await pause(20);
  }
};

if (mode === 'kill') {
  store.visit(caller, nowMs);
  store.takeTurn(caller, 20_000, nowMs);
  process.stdout.write('begun');
  for (;;) {
    store.spend(caller, 1, nowMs);
    await pause(5);
  }
} else {
  // The disk is full: callers that do not fit are counted, and saved when there is room.
  for (let i = 0; i < 50_000; i += 1) store.visit(`address/${i.toString(16).padStart(16, '0')}`, nowMs);
  const problem = await problemIs((text) => text !== null);
  const waitsMs = [store.takeTurn(caller, 20_000, nowMs), store.takeTurn(caller, 20_000, nowMs)];
  rmSync(mode);
  await problemIs((text) => text === null);
  await store.close();
  const again = new EmbeddedLimitStore({ folder, nowMs: () => nowMs });
  process.stdout.write(JSON.stringify({ problem, waitsMs, addresses: again.stats().addresses, feeders: again.stats().feeders }));
  await again.close();
}
