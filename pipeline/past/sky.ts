// The sky of a moment: the states of all partitions, as a snapshot that queries read like a live one.
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import type { AircraftFactsSource } from '../aircraft/facts.ts';
import { LiveTable, type StateCodec } from '../aircraft/table.ts';
import { type Snapshot, SnapshotBuilder } from '../view/snapshot.ts';
import type { PartitionSky } from './partition-past.ts';

export class Sky {
  private readonly table: LiveTable;
  private readonly builder: SnapshotBuilder;
  private readonly codec: StateCodec;
  /** Partitions whose aircraft may be in the table. */
  private readonly partitions = new Set<number>();

  /** `facts`: reference data of today. `clock`: ms since the Unix epoch. */
  constructor(codec: StateCodec, facts: AircraftFactsSource, clock: () => number) {
    this.codec = codec;
    this.table = new LiveTable(facts);
    this.builder = new SnapshotBuilder(this.table, clock, 'past', () => 0);
  }

  /** The newest one that was shown; null before the first. */
  get current(): Snapshot | null {
    return this.builder.current;
  }

  /** Reads the states of a partition for the next `show`. */
  read({ partition, values, ends }: PartitionSky): void {
    this.table.clearPartition(partition);
    this.partitions.add(partition);
    for (let i = 0; i < ends.length; i += 1) {
      const start = i === 0 ? 0 : ends[i - 1]!;
      this.table.applyValue(this.codec, values, partition, start, ends[i]);
    }
  }

  /** Shows a moment whose states are all read; the bytes of the one before are gone. The second is that of the newest tick, as in a live snapshot. */
  show(skies: readonly PartitionSky[]): Snapshot {
    const messages = skies.reduce((sum, sky) => sum + sky.messages, 0);
    return this.builder.build(Math.max(...skies.map(({ tickMs }) => tickMs ?? 0)), messages);
  }

  /** Shows states that were not folded, as those of a moment. */
  showStates(states: Iterable<AircraftState>, nowMs: number): Snapshot {
    this.partitions.add(0);
    for (const partition of this.partitions) this.table.clearPartition(partition);
    for (const state of states) this.table.applyState(state);
    return this.builder.build(nowMs, 0);
  }
}
