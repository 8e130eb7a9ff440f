// The outputs for other programs, in every profile: SBS-1 lines of a live view, Beast records of the frames topic. They are off unless an address is given.
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Codecs } from '../../../pipeline/log/codec.ts';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import type { LogFields, LogLevel } from '../../../pipeline/runtime/log-limiter.ts';
import { exportMetrics, type LabelledRow } from '../../../pipeline/runtime/metrics.ts';
import { type Endpoint, endpoint } from '../../../pipeline/runtime/options.ts';
import type { LiveView } from '../../../pipeline/view/live-view.ts';
import { openBeastOutput, type SkipReason } from '../../../push/outputs/beast-output.ts';
import type { OutputStats } from '../../../push/outputs/output-server.ts';
import { openSbsOutput } from '../../../push/outputs/sbs-output.ts';
import type { Closer } from '../closing.ts';
import type { OutputAddresses } from '../options/output-options.ts';

export interface OutputsContext {
  readonly view: Pick<LiveView, 'onSnapshot'>;
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly registry: Registry;
  readonly logger: Logger;
}

/** Starts the outputs and registers their metrics. Their closers are added at the front. Errors: `listen.port_in_use`, `listen.failed`. */
export async function startOutputs(addresses: OutputAddresses, context: OutputsContext, closers: Closer[]) {
  const { view, log, codecs, registry, logger } = context;
  const write = (level: LogLevel, fields: LogFields, message: string): void => logger[level](fields, message);
  const at = ({ host, port }: Endpoint, flag: string) => ({ host, port, flag, log: write });
  const sbs = addresses.sbs === null ? null : await openSbsOutput(view, at(addresses.sbs, '--sbs'));
  if (sbs !== null) closers.unshift(sbs.close);
  const beast = addresses.beastOut === null ? null : await openBeastOutput({ log, codecs }, at(addresses.beastOut, '--beast-out'));
  if (beast !== null) closers.unshift(beast.close);
  registerMetrics(registry, {
    stats: () => ({ sbs: sbs?.stats() ?? NO_CLIENTS, beast: beast?.stats() ?? NO_CLIENTS }),
    skipped: () => beast?.stats().skipped ?? NOTHING_SKIPPED,
  });
  const bound = (wanted: Endpoint | null, output: { readonly port: number } | null): Endpoint | null =>
    wanted === null || output === null ? null : endpoint(wanted.host, output.port);
  return {
    sbs: bound(addresses.sbs, sbs),
    beastOut: bound(addresses.beastOut, beast),
    /** Rejects when the log cannot be read. */
    failed: beast?.failed ?? new Promise<never>(() => {}),
  };
}

const NO_CLIENTS: OutputStats = {
  clients: 0,
  bytes: 0,
  dropped: { behind: 0, closed: 0 },
  ended: { left: 0, stalled: 0, sent_too_much: 0, refused: 0 },
};
const NOTHING_SKIPPED: Readonly<Record<SkipReason, number>> = { unreadable: 0, deleted: 0 };

interface Counts {
  readonly stats: () => Readonly<Record<'sbs' | 'beast', OutputStats>>;
  readonly skipped: () => Readonly<Record<SkipReason, number>>;
}

/** Exported from the start, also for outputs that are off. */
function registerMetrics(registry: Registry, { stats, skipped }: Counts): void {
  const each = (read: (now: OutputStats) => number) => (): LabelledRow[] =>
    Object.entries(stats()).map(([output, now]) => [output, read(now)]);
  const byReason = (read: (now: OutputStats) => Readonly<Record<string, number>>) => (): LabelledRow[] =>
    Object.entries(stats()).flatMap(([output, now]) =>
      Object.entries(read(now)).map(([reason, count]) => [output, reason, count] as const),
    );
  exportMetrics(registry, {
    squitter_output_clients: each(({ clients }) => clients),
    squitter_output_bytes_total: each(({ bytes }) => bytes),
    squitter_output_dropped_bytes_total: byReason(({ dropped }) => dropped),
    squitter_output_ended_total: byReason(({ ended }) => ended),
    squitter_output_records_skipped_total: () => Object.entries(skipped()),
  });
}
