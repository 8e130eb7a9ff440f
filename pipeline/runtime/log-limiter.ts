// Log lines of one kind at a bounded rate: the first ones of an interval are written at once, the others are counted and summed in one
// line.
import { limits } from '../../schemas/limits/index.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, unknown>>;
export type WriteLine = (level: LogLevel, fields: LogFields, message: string) => void;

interface LogLimiterOptions {
  /** Lines of one kind that are written at once, per interval. */
  readonly linesMax?: number;
  readonly intervalMs?: number;
}

interface Line {
  readonly level: LogLevel;
  readonly fields: LogFields;
  readonly message: string;
}

/** An interval of one kind. */
interface Interval {
  written: number;
  counted: number;
  newest: Line;
  readonly timer: NodeJS.Timeout;
}

/** Kinds over the limit share one interval. */
const OTHER_KINDS = 'other kinds';

export class LogLimiter {
  private readonly write: WriteLine;
  private readonly linesMax: number;
  private readonly intervalMs: number;
  private readonly intervals = new Map<string, Interval>();

  constructor(write: WriteLine, { linesMax = 1, intervalMs = limits.logLineIntervalMs }: LogLimiterOptions = {}) {
    this.write = write;
    this.linesMax = linesMax;
    this.intervalMs = intervalMs;
  }

  /**
   * Writes the line, or counts it. At the end of the interval the newest counted line is written with `repeated` (the number of counted
   * lines) and `seconds` (the maximum time they span). Lines of one kind must be interchangeable for readers.
   */
  line(level: LogLevel, fields: LogFields, message: string, kind: string = message): void {
    const known = this.intervals.has(kind) || this.intervals.size < limits.logLineKindsMax;
    const key = known ? kind : OTHER_KINDS;
    const line = { level, fields, message };
    const interval = this.intervals.get(key) ?? this.begin(key, line);
    if (interval.written < this.linesMax) {
      interval.written += 1;
      this.write(level, fields, message);
    } else {
      interval.counted += 1;
      interval.newest = line;
    }
  }

  /** Writes the counted lines now; the limiter stays usable. */
  flush(): void {
    for (const [kind, interval] of this.intervals) {
      clearTimeout(interval.timer);
      this.sum(interval);
      this.intervals.delete(kind);
    }
  }

  private begin(kind: string, newest: Line): Interval {
    const timer = setTimeout(() => this.end(kind), this.intervalMs).unref();
    const interval = { written: 0, counted: 0, newest, timer };
    this.intervals.set(kind, interval);
    return interval;
  }

  /** After an interval with a summed line, the next interval counts every line: one line per interval while lines continue. */
  private end(kind: string): void {
    const interval = this.intervals.get(kind)!;
    this.intervals.delete(kind);
    if (interval.counted === 0) return;
    this.sum(interval);
    this.begin(kind, interval.newest).written = this.linesMax;
  }

  private sum({ counted, newest: { level, fields, message } }: Interval): void {
    if (counted > 0) this.write(level, { ...fields, repeated: counted, seconds: this.intervalMs / 1000 }, message);
  }
}
