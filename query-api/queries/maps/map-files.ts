// What readsb's web maps read beside the live aircraft; each part notes every snapshot.
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
  /** Where the receiver stands; null unless its operator shows it. */
  readonly site: Site | null;
  /** Null unless the operator shows where the receiver stands. */
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
