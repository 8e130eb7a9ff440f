// The small files of readsb's web maps as objects: settings, numbers of messages and aircraft, the range outline.
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { bySourceKind } from '../network.ts';
import type { MapFiles } from './map-files.ts';

const REFRESH_MS = 1000;

/** Files that a reader finds beside `receiver.json`. */
export interface MapReader {
  /** Number of history files. */
  readonly history: number;
  readonly hasTraces: boolean;
  /** There are files of the past. */
  readonly isReplayed: boolean;
}

/** The bytes of a file, as routes serve it and the folder of `--write-json` has it. */
export function fileText(file: object): string {
  return `${JSON.stringify(file)}\n`;
}

/** `receiver.json`. With `readsb` programs read the files as those of readsb, not of dump1090: Ident refuses them without it. */
export function receiverFile({ site }: MapFiles, { history, hasTraces, isReplayed }: MapReader): object {
  return {
    ...{ version: 'squitter', readsb: true, refresh: REFRESH_MS, history },
    ...(hasTraces ? { haveTraces: true } : {}),
    ...(isReplayed ? { haveReplay: true } : {}),
    ...(site === null ? {} : { ...site, outlineJson: true }),
  };
}

/** `stats.json`. */
export function statisticsFile({ statistics }: MapFiles, { times, totals, listing }: Snapshot): object {
  return {
    now: times.nowMs / 1000,
    aircraft_with_pos: totals.withPosition,
    aircraft_without_pos: totals.total - totals.withPosition,
    aircraft_count_by_type: bySourceKind(listing),
    ...statistics.periods(),
  };
}

/** `outline.json`; empty unless the operator publishes the position of the receiver. */
export function outlineFile({ outline }: MapFiles): object {
  return { actualRange: { last24h: { points: outline?.points() ?? [] } } };
}
