// SBS output: after each snapshot, what changed as SBS-1 lines, in one piece for all clients. A client that is new or missed a piece gets all aircraft.
import type { LiveView } from '../../pipeline/view/live-view.ts';
import { type OutputOptions, OutputServer } from './output-server.ts';
import { SbsWriter } from './sbs-lines.ts';

/** Without clients, a snapshot costs nothing. Errors: `listen.port_in_use`, `listen.failed`. */
export async function openSbsOutput(view: Pick<LiveView, 'onSnapshot'>, options: OutputOptions) {
  const server = await OutputServer.open({ ...options, name: 'SBS' });
  const writer = new SbsWriter();
  const stop = view.onSnapshot(({ listing, times: { nowMs } }, changes) => {
    if (!server.hasClients) return;
    server.send(writer.changes(listing, nowMs, changes()), () => writer.all(listing, nowMs));
  });
  return {
    port: server.port,
    stats: () => server.stats(),
    close(): Promise<void> {
      stop();
      return server.close();
    },
  };
}
