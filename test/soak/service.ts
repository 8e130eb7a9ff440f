// The service of a soak, and what is measured of it.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type LiveService, withFolder, withServiceOn } from '../bench/children.ts';
import { processCpuSeconds, residentBytes } from '../bench/push/clock.ts';
import { until } from '../support/until.ts';

export interface Sample {
  readonly atS: number;
  readonly rssMb: number;
  readonly anonymousMb: number;
  readonly descriptors: number;
  readonly cpuS: number;
  readonly aircraft: number;
  readonly messages: number;
}

/** Until nearly all aircraft are listed. */
const SETTLE_MS_MAX = 120_000;
const SETTLED_SHARE = 0.9;

const megabytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);

/** Reads /v2/stats, and memory, descriptors and CPU time from /proc. */
export async function sample(service: LiveService, atS: number): Promise<Sample> {
  const pid = service.child.pid!;
  const { now, anonymous } = residentBytes(pid);
  const stats = (await (await service.get('/v2/stats')).json()) as { aircraft_count?: number; messages?: number };
  return {
    ...{ atS: Math.round(atS), rssMb: megabytes(now), anonymousMb: megabytes(anonymous), cpuS: processCpuSeconds(pid) },
    ...{ descriptors: readdirSync(`/proc/${pid}/fd`).length, aircraft: stats.aircraft_count ?? 0, messages: stats.messages ?? 0 },
  };
}

/** Runs `use` on a service with this many simulated aircraft and a folder of its own; both end with it. */
export function withService<Result>(
  aircraft: string,
  flags: readonly string[],
  use: (service: LiveService, folder: string) => Promise<Result>,
): Promise<Result> {
  return withFolder((folder) => withServiceOn(join(folder, 'data'), ['--simulate', aircraft, ...flags], (service) => use(service, folder)));
}

/** Waits until nearly all aircraft are listed. */
export async function settled(service: LiveService, aircraft: number): Promise<void> {
  // On a busy machine the service may be late.
  const listed = async (): Promise<number> => (await sample(service, 0).catch(() => null))?.aircraft ?? 0;
  await until(async () => (await listed()) >= SETTLED_SHARE * aircraft, `${aircraft} aircraft`, SETTLE_MS_MAX);
}
