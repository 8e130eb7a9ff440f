// Disk usage of the log by topic, from the sizes of its files.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TopicId, topicIds } from '../../../schemas/topics.ts';
import type { Store } from './rows.ts';
import { segmentFile } from './store.ts';

export interface LogUsage {
  /** Bytes of each topic's segment files. */
  readonly topics: Readonly<Record<TopicId, number>>;
  /** Size of the index file, which never shrinks. */
  readonly indexBytes: number;
}

export class UsageMeter {
  private readonly store: Store;
  /** Sizes of sealed segments. */
  private sealed = new Map<number, number>();

  constructor(store: Store) {
    this.store = store;
  }

  async measure(): Promise<LogUsage> {
    const { store } = this;
    store.root.resetReadTxn();
    const segments = [...store.segments.getRange()];
    store.root.resetReadTxn();
    const bytes = Object.fromEntries(topicIds.map((topic) => [topic, 0])) as Record<TopicId, number>;
    const sealed = new Map<number, number>();
    for (const { key, value } of segments) {
      const size = this.sealed.get(key) ?? (await sizeOf(segmentFile(store, key)));
      if (!value.isOpen) sealed.set(key, size);
      bytes[value.topic] += size;
    }
    this.sealed = sealed;
    return { topics: bytes, indexBytes: await sizeOf(join(store.path, 'index', 'data.mdb')) };
  }
}

/** Size of a file; 0 if it does not exist. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}
