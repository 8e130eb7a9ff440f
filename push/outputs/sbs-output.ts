// SBS output: after each snapshot, what changed as SBS-1 lines, in one piece for all clients. A client that is new or missed a piece gets all aircraft.
import type { LiveView } from '../../pipeline/view/live-view.ts';
import { OutputServer, type OutputServerOptions, type OutputStats } from './output-server.ts';
import { SbsWriter } from './sbs-lines.ts';

export interface SbsOutput {
  readonly port: number;
  stats(): OutputStats;
  close(): Promise<void>;
}

export type SbsOptions = Omit<OutputServerOptions, 'name' | 'onClients'>;

/** Without clients, a snapshot costs nothing. Errors: `listen.port_in_use`, `listen.failed`. */
export async function openSbsOutput(view: Pick<LiveView, 'onSnapshot'>, options: SbsOptions): Promise<SbsOutput> {
  const server = await OutputServer.open({ ...options, name: 'SBS' });
  const writer = new SbsWriter();
  const stop = view.onSnapshot(({ listing, times: { nowMs } }, changes) => {
    if (!server.hasClients) return;
    server.send(writer.changes(listing, nowMs, changes()), () => writer.all(listing, nowMs));
  });
  return {
    port: server.port,
    stats: () => server.stats(),
    close() {
      stop();
      return server.close();
    },
  };
}
