// Servers of the benches of HTTP and records in processes of their own, and their rate per CPU second.
import { Child } from './children.ts';
import type { LoadResult } from './load.ts';
import type { ServerReport } from './server.ts';

const WARM_UP_S = 3;
const RUN_S = 5;

export interface MeasuredServer {
  readonly ports: ServerReport & { type: 'ready' };
  /** Responses per CPU second of the server's process, warm. */
  measure(load: (seconds: number) => Promise<LoadResult>): Promise<number>;
  stop(): Promise<void>;
}

/** Runs `work` with the query API with so many aircraft, and with the bare server. */
export async function withServers<T>(aircraft: number, work: (ours: MeasuredServer, bare: MeasuredServer) => Promise<T>): Promise<T> {
  const [ours, bare] = [await startServer(aircraft), await startServer(0)];
  try {
    return await work(ours, bare);
  } finally {
    for (const server of [ours, bare]) await server.stop();
  }
}

export async function startServer(aircraft: number): Promise<MeasuredServer> {
  const child = new Child<{ readonly type: 'usage' }, ServerReport>('./server.js', [String(aircraft)]);
  const ports = await child.report('ready');
  const cpuS = async (): Promise<number> => {
    child.order({ type: 'usage' });
    return (await child.report('usage')).cpuS;
  };
  return {
    ports,
    async measure(load) {
      await load(WARM_UP_S);
      const before = await cpuS();
      const { responses, seconds } = await load(RUN_S);
      if (responses === 0) throw new Error(`no response in ${seconds} s`);
      return responses / ((await cpuS()) - before);
    },
    stop: () => child.stop(),
  };
}
