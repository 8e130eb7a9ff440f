// Disk space of the log: what it uses, what is free, and the resulting size limits.
import { topicIds } from '../../../schemas/topics.ts';
import type { DiskGuard, DiskState } from './disk-guard.ts';
import { type RetentionOverrides, retentionOf } from './retention.ts';
import type { Store } from './rows.ts';
import { fitSizes, type SizeLimits } from './size-limits.ts';
import { type LogUsage, UsageMeter } from './usage.ts';

export interface SpaceReport {
  readonly disk: DiskState;
  readonly usage: LogUsage;
  /** Requested size limits. */
  readonly wanted: SizeLimits;
  /** Size limits that fit this disk now. */
  readonly limits: SizeLimits;
}

export class LogSpace {
  private readonly guard: DiskGuard;
  private readonly meter: UsageMeter;
  private readonly wanted: SizeLimits;

  constructor(store: Store, guard: DiskGuard, overrides: RetentionOverrides) {
    this.guard = guard;
    this.meter = new UsageMeter(store);
    const sized = topicIds.flatMap((topic) => {
      const { bytesMax } = retentionOf(topic, overrides);
      return bytesMax === null ? [] : [[topic, bytesMax] as const];
    });
    this.wanted = Object.fromEntries(sized);
  }

  async measure(): Promise<SpaceReport> {
    const { wanted } = this;
    const usage = await this.meter.measure();
    const disk = this.guard.state();
    return { disk, usage, wanted, limits: fitSizes(wanted, disk, usage) };
  }
}
