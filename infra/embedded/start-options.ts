// Options of `squitter start`, and what follows from their values. They load no service.
import { availableParallelism } from 'node:os';
import type { SizeLimits } from '../../pipeline/log/lmdb/size-limits.ts';
import {
  type Endpoint,
  integerBetween,
  numberBetween,
  type Option,
  type OptionValues,
  receiverOption,
  switchOption,
  textOption,
} from '../../pipeline/runtime/options.ts';
import { historyDaysOption, historyGibOption } from '../../pipeline/store/options.ts';
import { limits } from '../../schemas/limits/index.ts';
import { type TopicId, topics } from '../../schemas/topics.ts';
import { accessOptions } from '../services/options/access-options.ts';
import { connectionOptions } from '../services/options/connection-limits.ts';
import { bulkOption, exportOptions } from '../services/options/export-options.ts';
import { mapOptions } from '../services/options/map-options.ts';
import { objectStoreOptions } from '../services/options/object-store-options.ts';
import { displayOptions, grpcOption, outputOptions, pushOptions, toolOptions } from '../services/options/output-options.ts';
import {
  baseUrlOption,
  feedOption,
  httpOption,
  LISTEN_DEFAULT,
  listenOption,
  strictEnvironmentOption,
} from '../services/options/shared-options.ts';
import { showReceiverOption } from '../services/options/shown-receiver.ts';

const SIMULATED_AIRCRAFT = 500;
const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const DAY_MS = 86_400_000;

/** Size limit of a topic, all partitions together. */
function sizeOption(topic: TopicId, what: string): Option<number> {
  const { shortName, retentionMs, bytesMax } = topics[topic];
  const name = shortName.replace('.', '-');
  const beyond =
    retentionMs === null
      ? 'beyond it, superseded states are removed sooner'
      : `beyond it, or after ${retentionMs / DAY_MS} days, the oldest are deleted`;
  return {
    ...textOption(`${name}-gib`, 'GIB', `disk space for ${what}; ${beyond}. Lowered if the disk has no room for it`),
    fallback: bytesMax! / GIB,
    parse: numberBetween(limits.retentionGibOptionMin, limits.retentionGibOptionMax),
  };
}

export const startOptions = {
  data: { flag: 'data', value: 'DIR', env: 'SQUITTER_DATA', help: 'data folder', fallback: './data' },
  http: httpOption(8080, 'REST API and web page'),
  ...pushOptions,
  ...toolOptions,
  ...accessOptions,
  baseUrl: baseUrlOption,
  grpc: grpcOption,
  listen: listenOption(
    null as Endpoint | null,
    `listening address for feeders that push Beast or AVR (default ${LISTEN_DEFAULT}); if given, it counts as a feed and nothing is simulated`,
  ),
  feed: feedOption,
  replay: { flag: 'replay', value: 'FILE', help: 'recorded file to feed at its own pace', fallback: null as string | null },
  simulate: {
    flag: 'simulate',
    value: 'N',
    env: 'SQUITTER_SIMULATE',
    help: `number of simulated aircraft, 0 to ${limits.simulatedAircraftOfStartMax} (${SIMULATED_AIRCRAFT} if no feed is configured)`,
    fallback: null as number | null,
    parse: integerBetween(0, limits.simulatedAircraftOfStartMax),
  },
  noSimulation: switchOption('no-simulation', 'never simulate'),
  receiver: receiverOption('position of the receiver: surface positions then resolve at once'),
  showReceiver: showReceiverOption,
  foldThreads: {
    flag: 'fold-threads',
    value: 'N',
    env: 'SQUITTER_FOLD_THREADS',
    help: `threads that fold; a new data folder gets as many partitions. Default: a quarter of the processors, at most ${limits.foldThreadsByDefaultMax}`,
    fallback: null as number | null,
    parse: integerBetween(1, limits.foldThreadsMax),
  },
  ...mapOptions,
  ...outputOptions,
  ...displayOptions,
  ...connectionOptions,
  framesGib: sizeOption('frames', 'raw frames'),
  positionsGib: sizeOption('positions', 'positions'),
  aircraftGib: sizeOption('aircraft', 'aircraft states of the last hour'),
  snapshotsKeptGib: sizeOption('snapshotsKept', 'kept snapshots, from which the past is folded'),
  flightsEndedGib: sizeOption('flightsEnded', 'ended flights'),
  deadletterGib: sizeOption('deadletter', 'records that could not be read'),
  noHistory: switchOption('no-history', 'keep no history: its process and its 350 MB of memory are not needed then'),
  historyDays: historyDaysOption,
  historyGib: {
    ...historyGibOption,
    help: `disk space for the history; beyond it the oldest days are dropped. Never more than a quarter of what is free`,
    fallback: limits.historyBytesDefault / GIB,
  },
  bulkGib: {
    ...bulkOption,
    help: 'disk space for the daily files under /bulk/; beyond it the oldest days are removed. 0 makes none',
    parse: numberBetween(0, limits.retentionGibOptionMax),
  },
  licence: exportOptions.licence,
  attribution: exportOptions.attribution,
  ...objectStoreOptions,
  diskReserveMib: {
    flag: 'disk-reserve-mib',
    value: 'MIB',
    env: 'SQUITTER_DISK_RESERVE_MIB',
    help: `free disk space below which nothing is written (default ${limits.logDiskReserveBytes / MIB}, or a sixteenth of a smaller disk)`,
    fallback: null as number | null,
    parse: integerBetween(0, limits.diskReserveMibOptionMax),
  },
  strictEnvironment: strictEnvironmentOption,
} as const;

export type StartValues = OptionValues<typeof startOptions>;

/** Size limits in bytes, by topic. */
export function bytesMaxOf(options: StartValues): SizeLimits {
  return {
    frames: options.framesGib * GIB,
    positions: options.positionsGib * GIB,
    aircraft: options.aircraftGib * GIB,
    snapshotsKept: options.snapshotsKeptGib * GIB,
    flightsEnded: options.flightsEndedGib * GIB,
    deadletter: options.deadletterGib * GIB,
  };
}

/** The requested number, or a quarter of the processors: one thread folds 0.8 M frames a second, and each takes 30 MB and 0.03 cores without traffic. */
export function foldThreadsOf({ foldThreads }: Pick<StartValues, 'foldThreads'>, processors = availableParallelism()): number {
  return foldThreads ?? Math.min(limits.foldThreadsByDefaultMax, Math.max(1, processors >> 2));
}

/** Aircraft to simulate: the requested number, or a default one if no feed is configured. */
export function simulatedAircraftOf({ noSimulation, simulate, feed, listen, replay }: StartValues): number {
  if (noSimulation) return 0;
  const hasFeed = feed.length > 0 || listen !== null || replay !== null;
  return simulate ?? (hasFeed ? 0 : SIMULATED_AIRCRAFT);
}

/** Flags that change only the listening address. `--listen` alone would count as a feed and end the simulation. */
export function listenFlag(listen: Endpoint | null, simulate: number): string {
  return listen === null && simulate > 0 ? `--listen HOST:PORT --simulate ${simulate}` : '--listen';
}
