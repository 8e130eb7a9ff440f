// Calls by method and status, and durations of the calls that have one response. Counted without allocation.
import { Durations, type Sample } from '../../../pipeline/runtime/durations.ts';

/** Names of `grpc-status`, by number. */
const STATUS_NAMES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];
const CANCELLED = 1;
/** All methods that do not exist share a label, because labels must be bounded. */
const UNKNOWN = 'unknown';

interface Counts {
  readonly byStatus: Float64Array;
  /** Null for streams, whose durations say nothing. */
  readonly durations: Durations | null;
}

export class CallCounts {
  private readonly methods = new Map<string, Counts>();

  /** The paths of methods with one response, and of those with a stream. */
  constructor(unary: readonly string[], streams: readonly string[]) {
    for (const path of unary) this.methods.set(path, { byStatus: new Float64Array(STATUS_NAMES.length), durations: new Durations() });
    for (const path of [...streams, UNKNOWN]) this.methods.set(path, { byStatus: new Float64Array(STATUS_NAMES.length), durations: null });
  }

  /** A call that ended; without a status it was cancelled. */
  count(path: string, status: number | null, durationMs: number): void {
    const counts = this.methods.get(path) ?? this.methods.get(UNKNOWN)!;
    const code = status !== null && status < STATUS_NAMES.length ? status : CANCELLED;
    counts.byStatus[code] = counts.byStatus[code]! + 1;
    counts.durations?.observe(durationMs / 1000);
  }

  /** Samples by method and status; OK from the start, the others once they occurred. */
  callSamples(): Sample[] {
    return [...this.methods].flatMap(([method, { byStatus }]) =>
      STATUS_NAMES.map((code, n) => ({ labels: { method, code }, value: byStatus[n]! })).filter(
        ({ labels, value }) => value > 0 || labels.code === 'OK',
      ),
    );
  }

  durationSamples(name: string): Sample[] {
    return [...this.methods].flatMap(([method, { durations }]) => durations?.samples(name, { method }) ?? []);
  }
}
