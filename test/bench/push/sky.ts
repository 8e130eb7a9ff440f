// Simulated traffic through fold and view, second by second: the snapshots that push serves from.
import { PartitionFold } from '../../../pipeline/fold/partition-fold.ts';
import { TICK_MS } from '../../../pipeline/fold/worker.ts';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { createTestView, type TestView } from '../../support/live-view.ts';
import { batches, trafficSeconds } from '../frames.ts';

/** After this nearly all aircraft that have a position show it. */
const WARM_UP_TICKS = 25;

interface SimulatedSky {
  readonly view: TestView;
  /** The snapshot of the next second. */
  next(): Snapshot;
}

/** About 96 % of the aircraft have a position. */
export async function simulatedSky(aircraft: number): Promise<SimulatedSky> {
  const view = await createTestView(0);
  const traffic = trafficSeconds(aircraft);
  const fold = new PartitionFold({ tickMs: TICK_MS, receiver: null });
  let offset = 0;
  const advance = (): void => {
    for (const batch of batches(traffic.next().value)) {
      fold.apply(batch, offset, (tick) => {
        for (const state of tick.aircraft.build()) view.table.applyState(state);
        view.clockMs = tick.progress.tickMs;
      });
      offset += 1;
    }
  };
  for (let n = 0; n < WARM_UP_TICKS; n += 1) advance();
  return {
    view,
    next: () => {
      advance();
      return view.tick();
    },
  };
}
