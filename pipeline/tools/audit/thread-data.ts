// What is posted to and from the threads of an audit.
import type { Environment } from '../../runtime/options.ts';

export interface AuditThreadData {
  readonly location: {
    readonly data: string | null;
    readonly brokers: readonly { readonly host: string; readonly port: number }[];
    readonly registry: string | null;
  };
  readonly env: Environment;
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
  readonly fromMs: number | null;
}

/** What an audit says of one partition between responses. */
export interface PartitionProgress {
  readonly partition: number;
  readonly done: number;
  readonly total: number;
  readonly frames: number;
}
