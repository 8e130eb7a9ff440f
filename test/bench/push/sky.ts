// Simulated traffic through fold and view, second by second: the snapshots that push serves from.
import { PartitionFold } from '../../../pipeline/fold/partition-fold.ts';
import { TICK_MS } from '../../../pipeline/fold/worker.ts';
import { createTraffic } from '../../../pipeline/simulate/traffic.ts';
import { type Snapshot, SnapshotBuilder } from '../../../pipeline/view/snapshot.ts';
import { LiveTable } from '../../../pipeline/view/table.ts';
import { type BenchFrame, batches } from '../frames.ts';

const START_US = 1_700_000_000_000_000;
/** After this nearly all aircraft that have a position show it. */
const WARM_UP_TICKS = 25;
const STEP_US = 250_000;

export class SimulatedSky {
  readonly builder: SnapshotBuilder;
  /** Event time. */
  nowMs = 0;
  private readonly traffic: ReturnType<typeof createTraffic>;
  private readonly fold = new PartitionFold({ tickMs: TICK_MS, receiver: null });
  private readonly table = new LiveTable();
  private timeUs = START_US;
  private offset = 0;

  /** About 96 % of the aircraft have a position. */
  constructor(aircraft: number) {
    this.traffic = createTraffic({ aircraft, seed: 1, startUs: START_US });
    this.builder = new SnapshotBuilder(this.table, () => this.nowMs, 'bench');
    for (let n = 0; n < WARM_UP_TICKS; n += 1) this.advance();
  }

  /** The snapshot of the next second. */
  next(): Snapshot {
    this.advance();
    return this.builder.build(this.nowMs, 0);
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
        for (const state of tick.aircraft.build()) this.table.applyState(state);
        this.nowMs = tick.progress.tickMs;
      });
      this.offset += 1;
    }
  }
}
