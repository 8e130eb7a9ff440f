// What the whole service in one process is started with.
import type { Writable } from 'node:stream';
import type { SizeLimits } from '../../pipeline/log/lmdb/size-limits.ts';
import type { ConnectionShares } from '../../pipeline/runtime/descriptors.ts';
import type { Endpoint } from '../../pipeline/runtime/options.ts';

export interface ServiceOptions {
  readonly dataDir: string;
  readonly http: Endpoint;
  readonly listen: Endpoint;
  /** What sets another address and leaves the rest as it is, for messages. */
  readonly listenFlag: string;
  readonly feeds: readonly Endpoint[];
  readonly replayFile: string | null;
  readonly simulatedAircraft: number;
  /** The simulation ends when a feeder connects. */
  readonly simulationYields: boolean;
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
  /** The same where everybody may know it. */
  readonly shownReceiver: { readonly lat: number; readonly lon: number } | null;
  /** Connections at a time, where the system's limit of descriptors allows them. */
  readonly connectionsMax: ConnectionShares;
  readonly feederConnectionsPerAddressMax: number;
  /** Disk by topic, all its partitions. */
  readonly bytesMax: SizeLimits;
  /** Variables of the environment that begin as ours do and are unknown: a warning for each. */
  readonly unknownVariables: readonly string[];
  /** Free disk below which nothing is written; null leaves it to the log. */
  readonly diskReserveBytes: number | null;
}

export interface ServiceIo {
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Stops the service. */
  readonly signal: AbortSignal;
}
