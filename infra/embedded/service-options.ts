// Start options of the whole service in one process.
import type { Writable } from 'node:stream';
import type { ObjectStoreAddress } from '../../exporters/catalog/object-store.ts';
import type { SizeLimits } from '../../pipeline/log/lmdb/size-limits.ts';
import type { ConnectionShares } from '../../pipeline/runtime/descriptors.ts';
import type { Endpoint } from '../../pipeline/runtime/options.ts';
import type { AccessRules } from '../../query-api/access/operators.ts';
import type { GrpcSettings } from '../services/grpc-service.ts';
import type { MapValues } from '../services/map-options.ts';
import type { OutputAddresses } from '../services/outputs-service.ts';
import type { PushSettings } from '../services/push-service.ts';
import type { HistoryOptions } from './history.ts';

export interface DailyFilesSettings {
  /** Disk space of published days; the newest always stays. */
  readonly bytesMax: number;
  readonly licence: string;
  readonly attribution: string;
  /** Null: published days stay here only. */
  readonly objectStore: ObjectStoreAddress | null;
}

export interface ServiceOptions {
  readonly dataDir: string;
  readonly http: Endpoint;
  readonly listen: Endpoint;
  /** Flags that change only this address, for error messages. */
  readonly listenFlag: string;
  readonly feeds: readonly Endpoint[];
  readonly replayFile: string | null;
  readonly simulatedAircraft: number;
  /** The simulation ends when a feeder connects. */
  readonly simulationYields: boolean;
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
  /** The same if it is published, otherwise null. */
  readonly shownReceiver: { readonly lat: number; readonly lon: number } | null;
  readonly map: MapValues;
  readonly push: PushSettings;
  /** Who has limits. */
  readonly access: AccessRules;
  /** Public address without a trailing slash; '' if it is not known. */
  readonly baseUrl: string;
  /** The tool server is open to every caller. */
  readonly mcpTrial: boolean;
  readonly grpc: GrpcSettings;
  readonly outputs: OutputAddresses;
  /** Folder of a copy of tar1090, and the folder for programs that read one; null without. */
  readonly tar1090: string | null;
  readonly writeJson: string | null;
  /** Maximum numbers of connections, if the system's descriptor limit allows them. */
  readonly connectionsMax: ConnectionShares;
  readonly feederConnectionsPerAddressMax: number | null;
  /** Size limits by topic, all partitions together. */
  readonly bytesMax: SizeLimits;
  /** Null: no daily files. */
  readonly dailyFiles: DailyFilesSettings | null;
  /** Null: no history is kept. */
  readonly history: HistoryOptions | null;
  /** Unknown environment variables with our prefix. Each causes a warning. */
  readonly unknownVariables: readonly string[];
  /** Free disk space below which nothing is written; null for the default of the log. */
  readonly diskReserveBytes: number | null;
}

export interface ServiceIo {
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Stops the service. */
  readonly signal: AbortSignal;
}
