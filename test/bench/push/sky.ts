// Simulated traffic through fold and view, second by second: the snapshots that push serves from.
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { createTestView, type TestView } from '../../support/live-view.ts';
import { simulatedFold } from '../frames.ts';

/** After this nearly all aircraft that have a position show it. */
const WARM_UP_TICKS = 25;

/** `next` gives the snapshot of the next second. About 96 % of the aircraft have a position. */
export async function simulatedSky(aircraft: number): Promise<{ readonly view: TestView; next(): Snapshot }> {
  const view = await createTestView(0);
  const advance = simulatedFold(aircraft, (tick) => {
    for (const state of tick.aircraft.build()) view.table.applyState(state);
    view.clockMs = tick.progress.tickMs;
  });
  for (let n = 0; n < WARM_UP_TICKS; n += 1) advance();
  return {
    view,
    next: () => {
      // A tick ends with a frame of a later second, which may come after a second of traffic: without a later time the hub would have no delta.
      for (const before = view.clockMs; view.clockMs === before; ) advance();
      return view.tick();
    },
  };
}
