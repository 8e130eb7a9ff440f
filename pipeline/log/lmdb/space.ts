// Disk space of the log: what it uses by topic, what is free, and the resulting size limits.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TopicId, topicIds } from '../../../schemas/topics.ts';
import type { DiskGuard, DiskState } from './disk-guard.ts';
import { type RetentionOverrides, retentionOf } from './retention.ts';
import type { Store } from './rows.ts';
import { fitSizes, type LogUsage, type SizeLimits } from './size-limits.ts';
import { segmentFile } from './store.ts';

export interface SpaceReport {
  readonly disk: DiskState;
  readonly usage: LogUsage;
  /** Requested size limits. */
  readonly wanted: SizeLimits;
  /** Size limits that fit this disk now. */
  readonly limits: SizeLimits;
}

export class LogSpace {
  private readonly store: Store;
  private readonly guard: DiskGuard;
  private readonly wanted: SizeLimits;
  /** Sizes of sealed segments. */
  private sealed = new Map<number, number>();

  constructor(store: Store, guard: DiskGuard, overrides: RetentionOverrides) {
    this.store = store;
    this.guard = guard;
    const sized = topicIds.flatMap((topic) => {
      const { bytesMax } = retentionOf(topic, overrides);
      return bytesMax === null ? [] : [[topic, bytesMax] as const];
    });
    this.wanted = Object.fromEntries(sized);
  }

  async measure(): Promise<SpaceReport> {
    const { wanted } = this;
    const usage = await this.usage();
    const disk = this.guard.state();
    return { disk, usage, wanted, limits: fitSizes(wanted, disk, usage) };
  }

  private async usage(): Promise<LogUsage> {
    const { store } = this;
    store.root.resetReadTxn();
    const segments = [...store.segments.getRange()];
    store.root.resetReadTxn();
    const topics = Object.fromEntries(topicIds.map((topic) => [topic, 0])) as Record<TopicId, number>;
    const sealed = new Map<number, number>();
    for (const { key, value } of segments) {
      const size = this.sealed.get(key) ?? (await sizeOf(segmentFile(store, key)));
      if (!value.isOpen) sealed.set(key, size);
      topics[value.topic] += size;
    }
    this.sealed = sealed;
    return { topics, indexBytes: await sizeOf(join(store.path, 'index', 'data.mdb')) };
  }
}

/** Size of a file; 0 if it does not exist. */
async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
