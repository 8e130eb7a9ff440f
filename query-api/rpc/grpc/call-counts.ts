// Calls by method and status, and durations of the calls that have one response.
import { Code } from '@connectrpc/connect';
import { codeToString } from '@connectrpc/connect/protocol-connect';
import { Durations, type Sample } from '../../../pipeline/runtime/durations.ts';

const OK = 0;
/** All methods that do not exist share a label, because labels must be bounded. */
const UNKNOWN = 'unknown';

interface Counts {
  readonly byStatus: Map<number, number>;
  /** Null for streams, whose durations say nothing. */
  readonly durations: Durations | null;
}

export class CallCounts {
  private readonly methods = new Map<string, Counts>();

  /** The paths of methods with one response, and of those with a stream. */
  constructor(unary: readonly string[], streams: readonly string[]) {
    for (const path of unary) this.methods.set(path, { byStatus: new Map([[OK, 0]]), durations: new Durations() });
    for (const path of [...streams, UNKNOWN]) this.methods.set(path, { byStatus: new Map([[OK, 0]]), durations: null });
  }

  /** A call that ended; without a status it was cancelled. */
  count(path: string, status: number | null, durationMs: number): void {
    const { byStatus, durations } = this.methods.get(path) ?? this.methods.get(UNKNOWN)!;
    const code = status ?? Code.Canceled;
    byStatus.set(code, (byStatus.get(code) ?? 0) + 1);
    durations?.observe(durationMs / 1000);
  }

  /** By status and method; OK from the start, the others once they occurred. */
  callRows(): (readonly [code: string, method: string, calls: number])[] {
    return [...this.methods].flatMap(([method, { byStatus }]) =>
      [...byStatus].map(([code, calls]) => [nameOf(code), method, calls] as const),
    );
  }

  durationSamples(name: string): Sample[] {
    return [...this.methods].flatMap(([method, { durations }]) => durations?.samples(name, { method }) ?? []);
  }
}

/** The name in gRPC. */
function nameOf(code: number): string {
  if (code === OK) return 'OK';
  return code === Code.Canceled ? 'CANCELLED' : codeToString(code).toUpperCase();
}
