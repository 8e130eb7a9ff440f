// The service of a soak: its process, its ports, and what is measured of it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePortFlags } from '../support/free-port-flags.ts';

export interface Sample {
  readonly atS: number;
  readonly rssMb: number;
  readonly anonymousMb: number;
  readonly descriptors: number;
  readonly cpuS: number;
  readonly aircraft: number;
  readonly messages: number;
}

const TICKS_PER_S = 100;
const RESPONSE_MS_MAX = 10_000;
/** Until nearly all aircraft are listed. */
const SETTLE_S_MAX = 120;
const SETTLED_SHARE = 0.9;

/** A running service and its ports. */
export interface Service {
  readonly child: ChildProcess;
  readonly httpPort: number;
  readonly feedPort: number;
  readonly pushPort: number;
}

/** Starts it on free ports and a folder; resolves when it listens. */
export async function startService(aircraft: string, dataDir: string, flags: readonly string[]): Promise<Service> {
  const program = ['dist/infra/cli/squitter.js', 'start', '--data', dataDir, '--simulate', aircraft];
  const child = spawn(process.execPath, ['--max-semi-space-size=2', '--no-short-builtin-calls', ...program, ...freePortFlags, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // The same variables as `npm start`.
    env: { ...process.env, MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144' },
  });
  let banner = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    banner += chunk.toString();
  });
  while (!/Beast\/AVR\s+\S+:\d+/.test(banner)) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the service ended with ${child.exitCode ?? child.signalCode}`);
    await sleep(100);
  }
  const httpPort = Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(banner)![1]);
  const port = (name: string): number => Number(new RegExp(`${name}\\s+[^:\\s]+:(\\d+)`).exec(banner)![1]);
  return { child, httpPort, feedPort: port('Beast/AVR'), pushPort: port('push port') };
}

/** Reads /v2/stats, and memory, descriptors and CPU time from /proc. */
export async function sample({ child, httpPort }: Service, atS: number): Promise<Sample> {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const megabytes = (field: string): number => Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const signal = AbortSignal.timeout(RESPONSE_MS_MAX);
  const stats = (await (await fetch(`http://127.0.0.1:${httpPort}/v2/stats`, { signal })).json()) as {
    aircraft_count?: number;
    messages?: number;
  };
  return {
    atS: Math.round(atS),
    rssMb: megabytes('VmRSS'),
    anonymousMb: megabytes('RssAnon'),
    descriptors: readdirSync(`/proc/${child.pid}/fd`).length,
    cpuS: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S,
    aircraft: stats.aircraft_count ?? 0,
    messages: stats.messages ?? 0,
  };
}

/** Runs `use` on a service that lists nearly all of its aircraft, with a folder of its own; both end with it. */
export async function withService<Result>(
  aircraft: string,
  flags: readonly string[],
  use: (service: Service, folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'squitter-soak-'));
  const service = await startService(aircraft, join(folder, 'data'), flags);
  try {
    await settled(service, Number(aircraft));
    return await use(service, folder);
  } finally {
    const exited = once(service.child, 'exit');
    service.child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function settled(service: Service, aircraft: number): Promise<void> {
  for (let s = 0; s < SETTLE_S_MAX; s += 1) {
    await sleep(1000);
    // On a busy machine the service may be late.
    const listed = await sample(service, s).catch(() => null);
    if (listed !== null && listed.aircraft >= SETTLED_SHARE * aircraft) return;
  }
  throw new Error(`not all of ${aircraft} aircraft are listed after ${SETTLE_S_MAX} s`);
}
