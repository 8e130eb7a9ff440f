// Simulated traffic through fold and view, second by second: the snapshots that push serves from.
import { PartitionFold } from '../../../pipeline/fold/partition-fold.ts';
import { TICK_MS } from '../../../pipeline/fold/worker.ts';
import { createTraffic } from '../../../pipeline/simulate/traffic.ts';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { createTestView, type TestView } from '../../support/live-view.ts';
import { type BenchFrame, batches } from '../frames.ts';

const START_US = 1_700_000_000_000_000;
/** After this nearly all aircraft that have a position show it. */
const WARM_UP_TICKS = 25;
const STEP_US = 250_000;

export class SimulatedSky {
  readonly view: TestView;
  /** Event time. */
  private nowMs = 0;
  private readonly traffic: ReturnType<typeof createTraffic>;
  private readonly fold = new PartitionFold({ tickMs: TICK_MS, receiver: null });
  private timeUs = START_US;
  private offset = 0;

  private constructor(view: TestView, aircraft: number) {
    this.view = view;
    this.traffic = createTraffic({ aircraft, seed: 1, startUs: START_US });
    for (let n = 0; n < WARM_UP_TICKS; n += 1) this.advance();
  }

  /** About 96 % of the aircraft have a position. */
  static async create(aircraft: number): Promise<SimulatedSky> {
    return new SimulatedSky(await createTestView(0), aircraft);
  }

  /** The snapshot of the next second. */
  next(): Snapshot {
    this.advance();
    this.view.clockMs = this.nowMs;
    return this.view.tick();
  }

  private advance(): void {
    const { nowMs } = this;
    while (this.nowMs === nowMs) this.step();
  }

  private step(): void {
    this.timeUs += STEP_US;
    const frames: BenchFrame[] = [];
    this.traffic.advance(this.timeUs, ({ timeUs, bytes, at, byteLength, receiver }) => {
      frames.push({ timeUs: timeUs - START_US, bytes: bytes.slice(at, at + byteLength), receiver });
    });
    for (const batch of batches(frames)) {
      this.fold.apply(batch, this.offset, (tick) => {
        for (const state of tick.aircraft.build()) this.view.table.applyState(state);
        this.nowMs = tick.progress.tickMs;
      });
      this.offset += 1;
    }
  }
}
