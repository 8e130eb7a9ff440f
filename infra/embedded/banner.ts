// Output for a person at the start: the addresses, and later the line that data are live.
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint } from '../../pipeline/runtime/options.ts';
import type { OutputAddresses } from '../services/options/output-options.ts';
import type { PushService } from '../services/ways-in/push-service.ts';
import { noDailyFiles } from './daily-files.ts';
import { type StartValues, simulatedAircraftOf } from './start-options.ts';

const POLL_MS = 100;
/** Time without live data after which the reason is printed. */
const WAIT_MS = 5000;

/** Addresses that the service listens on, and the disk space that it may use. */
export interface Shown extends OutputAddresses {
  readonly http: string;
  readonly push: Pick<PushService, 'address' | 'transport'>;
  readonly grpc: Endpoint;
  readonly listening: string;
  readonly disk: string;
  /** Address and limits of the history store, or why there is none. */
  readonly history: string;
  /** For whom there are limits. */
  readonly access: string;
}

/** The addresses of the service, which need not have live data yet. */
export function banner(options: StartValues, { http, push, grpc, listening, disk, history, access, sbs, beastOut }: Shown): string {
  const lines = [
    '',
    `Squitter starts at        http://${http}/`,
    `  all aircraft            http://${http}/v2/all`,
    `  the API, to try         http://${http}/docs`,
    `  for readsb's web maps   http://${http}/data/aircraft.json`,
    `  live changes            ws://${http}/ws/ and http://${http}/v2/stream`,
    `  daily files             ${noDailyFiles(options) ?? `http://${http}/bulk/`}`,
    `  metrics                 http://${http}/metrics`,
    `  push port               ${push.address}, ${push.transport}`,
    `  records over gRPC       ${grpc}`,
    `  feeders push Beast/AVR  ${listening}`,
    `  data                    ${options.data}`,
    `                          ${disk}`,
    `  history                 ${history}`,
    `  access                  ${access}`,
  ];
  if (sbs !== null) lines.push(`  SBS-1 text              ${sbs}`);
  if (beastOut !== null) lines.push(`  raw frames as Beast     ${beastOut}`);
  for (const feed of options.feed) lines.push(`  pulling from            ${feed}`);
  if (options.replay !== null) lines.push(`  replaying               ${options.replay}`);
  const simulated = simulatedAircraftOf(options);
  if (simulated > 0) lines.push('', simulationNote(simulated, options.simulate === null));
  return `${lines.join('\n')}\n\n`;
}

/** `yields`: the simulation was not requested. */
function simulationNote(aircraft: number, yields: boolean): string {
  const note = `These ${aircraft} aircraft are SIMULATED`;
  return yields
    ? `${note}: no feed is configured (--feed, --listen, --replay).\nThe simulation ends for good when the first feeder connects; --simulate ${aircraft} keeps it.`
    : `${note}, as requested with --simulate.`;
}

/** Prints that the service is live once it is ready, or the reason if that takes long. */
export async function announceLive(
  http: string,
  whyNotReady: () => string | null,
  { stdout, signal }: { readonly stdout: Writable; readonly signal: AbortSignal },
): Promise<void> {
  const startMs = performance.now();
  for (let hasReported = false; !signal.aborted; await sleep(POLL_MS, undefined, { signal }).catch(() => undefined)) {
    const problem = whyNotReady();
    if (problem === null) {
      stdout.write(`Squitter is live at       http://${http}/\n\n`);
      return;
    }
    if (hasReported || performance.now() - startMs < WAIT_MS) continue;
    hasReported = true;
    stdout.write(`Squitter is not ready yet: ${problem}\n`);
  }
}
