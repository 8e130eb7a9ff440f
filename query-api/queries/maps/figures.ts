// The small files of readsb's web maps as objects: settings, numbers of messages and aircraft, the range outline.
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { bySourceKind } from '../network.ts';
import type { MapFiles } from './map-files.ts';

const REFRESH_MS = 1000;

export interface MapReader {
  /** There are files of the past. */
  readonly isReplayed: boolean;
  /** It reads no history: maps ask for all of its files at once. */
  readonly hasLimits: boolean;
}

/** `receiver.json`. */
export function receiverFile({ history, site }: MapFiles, { isReplayed, hasLimits }: MapReader): object {
  return {
    ...{ version: 'squitter', refresh: REFRESH_MS, history: hasLimits ? 0 : history.count, haveTraces: true },
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
