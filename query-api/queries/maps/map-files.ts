// Data of readsb's web maps besides the live aircraft; each part takes every snapshot.
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { MapHistory } from './history.ts';
import { RangeOutline } from './outline.ts';
import { MapStatistics } from './statistics.ts';

export interface Site {
  readonly lat: number;
  readonly lon: number;
}

export class MapFiles {
  readonly history = new MapHistory();
  readonly statistics = new MapStatistics();
  /** Position of the receiver; null unless its operator publishes it. */
  readonly site: Site | null;
  /** Null unless the operator publishes the position of the receiver. */
  readonly outline: RangeOutline | null;

  constructor(site: Site | null = null) {
    this.site = site;
    this.outline = site === null ? null : new RangeOutline(site);
  }

  readonly note = (snapshot: Snapshot): void => {
    this.history.note(snapshot);
    this.statistics.note(snapshot);
    this.outline?.note(snapshot);
  };
}
