// A server and its readers, each in a process of its own, and rounds of ticks measured on several of them in turn.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { monotonicMs, residentBytes } from './clock.ts';
import type { Reader, ReadersOrder, ReadersReport } from './readers.ts';
import type { LocatedPoint, ServerKind, ServerOrder, ServerReport } from './server.ts';

const REPORT_MS_MAX = 60_000;
const QUIET_MS = 700;
const TICK_MS = 1000;
/** Rounds that are measured for each one of warm-up. */
const ROUNDS_PER_WARM_UP = 5;

/** One tick. Times are from the moment at which the snapshot, or the frame, is handed over. */
export interface Round {
  readonly lastMs: number;
  readonly p50Ms: number;
  readonly hubMs: number;
  /** Of the server's process, from the start to the last byte, per frame delivered. */
  readonly cpuUs: number;
  /** Of the readers' process, the same. */
  readonly readersCpuUs: number;
  /** Of different frames. */
  readonly bytes: number;
  /** To one reader, on average. */
  readonly deliveredBytes: number;
}

export interface Measured {
  readonly name: string;
  readonly rounds: readonly Round[];
  /** Most during the rounds, bytes. */
  readonly peakBytes: number;
  /** Growth per connection from before the first one to when all are idle, bytes. */
  readonly connectionBytes: number;
  readonly connectMs: number;
  readonly subscribers: number;
}

export class PushStand {
  readonly name: string;
  readonly points: readonly LocatedPoint[];
  connectMs = 0;
  connectionBytes = 0;
  subscribers = 0;
  private readonly server: Forked<ServerOrder, ServerReport>;
  private readonly readers: Forked<ReadersOrder, ReadersReport>;
  private readonly port: number;
  private readonly pid: number;

  static async start(kind: ServerKind): Promise<PushStand> {
    const server = new Forked<ServerOrder, ServerReport>('./server.js', [JSON.stringify(kind)]);
    const ready = await server.report('ready');
    return new PushStand(server, ready);
  }

  private constructor(server: PushStand['server'], { port, pid, name, points }: ServerReport & { type: 'ready' }) {
    this.server = server;
    this.readers = new Forked('./readers.js', []);
    this.port = port;
    this.pid = pid;
    this.name = name;
    this.server.name = name;
    this.readers.name = `readers of ${name}`;
    this.points = points;
  }

  /** Connects, and waits until nothing is sent any more. */
  async connect(readers: readonly Reader[]): Promise<void> {
    const before = residentBytes(this.pid).now;
    this.subscribers = readers.length;
    this.readers.order({ type: 'connect', port: this.port, readers });
    this.connectMs = (await this.readers.report('connected')).ms;
    for (let bytes = -1; ; ) {
      await sleep(QUIET_MS);
      const usage = await this.readersUsage();
      if (usage.bytes === bytes) break;
      bytes = usage.bytes;
    }
    this.connectionBytes = (residentBytes(this.pid).now - before) / readers.length;
  }

  resident(): number {
    return residentBytes(this.pid).now;
  }

  peak(): number {
    return residentBytes(this.pid).peak;
  }

  /** `peak` begins anew. */
  resetPeak(): void {
    writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
  }

  async round(): Promise<Round> {
    const before = await this.readersUsage();
    this.server.order({ type: 'tick' });
    const { seq, startMs, hubMs, cpuS, bytes } = await this.server.report('ticked');
    this.readers.order({ type: 'expect', seq, frames: this.subscribers });
    const { times } = await this.readers.report('delta');
    this.server.order({ type: 'usage' });
    const usedS = (await this.server.report('usage')).cpuS - cpuS;
    const after = await this.readersUsage();
    if (times.length < this.subscribers || after.closed > 0)
      throw new Error(`${this.name}: delta ${seq} came to ${times.length} of ${this.subscribers}, ${after.closed} connections were closed`);
    const perFrame = (s: number): number => (s * 1e6) / this.subscribers;
    return {
      lastMs: times.at(-1)! - startMs,
      p50Ms: times[times.length >> 1]! - startMs,
      ...{ hubMs, bytes, cpuUs: perFrame(usedS), readersCpuUs: perFrame(after.cpuS - before.cpuS) },
      deliveredBytes: (after.bytes - before.bytes) / this.subscribers,
    };
  }

  async stop(): Promise<void> {
    await this.readers.stop();
    await this.server.stop();
  }

  private readersUsage(): Promise<ReadersReport & { type: 'usage' }> {
    this.readers.order({ type: 'usage' });
    return this.readers.report('usage');
  }
}

/** Rounds of all stands in turn, at most one a second each. */
export async function inTurn(stands: readonly PushStand[], rounds: number): Promise<Measured[]> {
  const found = stands.map((): Round[] => []);
  for (let n = -Math.ceil(rounds / ROUNDS_PER_WARM_UP); n < rounds; n += 1) {
    if (n === 0) for (const stand of stands) stand.resetPeak();
    for (const [i, stand] of stands.entries()) {
      const start = monotonicMs();
      const round = await stand.round();
      if (n >= 0) found[i]!.push(round);
      await sleep(Math.max(50, TICK_MS / stands.length - (monotonicMs() - start)));
    }
  }
  return stands.map((stand, i) => {
    const { name, connectionBytes, connectMs, subscribers } = stand;
    return { name, rounds: found[i]!, peakBytes: stand.peak(), connectionBytes, connectMs, subscribers };
  });
}

/** Median, and the range as text. */
export function spread(values: readonly number[], digits = 0): { readonly median: number; readonly text: string } {
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1]!;
  const text = (value: number): string => value.toFixed(digits);
  return { median, text: `${text(median)} (${text(sorted[0]!)}-${text(sorted.at(-1)!)})` };
}

export function loadText(): string {
  return `load ${loadavg()[0]!.toFixed(1)}`;
}

class Forked<Order extends object, Report extends { type: string }> {
  private readonly child: ChildProcess;
  name = 'a process';

  constructor(file: string, args: readonly string[]) {
    this.child = fork(fileURLToPath(new URL(file, import.meta.url)), args, { stdio: 'inherit', serialization: 'advanced' });
  }

  order(order: Order): void {
    this.child.send(order);
  }

  async report<T extends Report['type']>(type: T): Promise<Report & { type: T }> {
    const stop = new AbortController();
    const { signal } = stop;
    const failed = Promise.race([
      once(this.child, 'exit', { signal }).then(([status]) => {
        throw new Error(`${this.name} ended with status ${status}`);
      }),
      sleep(REPORT_MS_MAX, null, { signal }).then(() => {
        throw new Error(`${this.name}: no report '${type}' within ${REPORT_MS_MAX / 1000} s`);
      }),
    ]);
    failed.catch(() => {});
    const [report] = (await Promise.race([once(this.child, 'message', { signal }), failed])) as [Report];
    stop.abort();
    if (report.type !== type) throw new Error(`a report '${report.type}' instead of '${type}'`);
    return report as Report & { type: T };
  }

  async stop(): Promise<void> {
    if (!this.child.connected) return;
    const exited = once(this.child, 'exit');
    this.child.disconnect();
    await exited;
  }
}
