// A worker thread that fails, ends or hangs is reported by name and never waited for.
import { describe, expect, it } from 'vitest';
import { startThread, type ThreadHandle } from './thread-host.ts';

const READY = "parentPort.postMessage({ type: 'ready', info: { listen: 'here' } });";
const STAY = "parentPort.on('message', () => {}); setInterval(() => {}, 1000);";
const FAILED = "parentPort.postMessage({ type: 'failed', error: { code: 'log.closed', details: {}, text: 'closed' } });";

function start(body: string, onStats: (stats: unknown) => void = () => {}): Promise<ThreadHandle> {
  const code = `import { parentPort } from 'node:worker_threads'; ${body}`;
  return startThread('test', new URL(`data:text/javascript,${encodeURIComponent(code)}`), {}, { onStats, onLog: () => {} });
}

describe('startThread', () => {
  it('resolves with the information of the ready thread, passes on its statistics, and ends it on stop', async () => {
    const seen: unknown[] = [];
    const stats = "parentPort.postMessage({ type: 'stats', stats: 7 });";
    const thread = await start(`${stats} ${READY} parentPort.once('message', () => parentPort.close());`, (value) => seen.push(value));
    expect(thread.info).toEqual({ listen: 'here' });
    expect(seen).toEqual([7]);
    await thread.stop();
  });

  it('rejects when the thread fails before it is ready, with its error code', async () => {
    await expect(start(`${FAILED} ${STAY}`)).rejects.toMatchObject({ code: 'log.closed' });
  });

  it('reports a later failure, and does not wait for a failed thread', async () => {
    const thread = await start(`${READY} setTimeout(() => { ${FAILED} }, 20); setTimeout(() => process.exit(), 2000); ${STAY}`);
    await expect(thread.failed).rejects.toMatchObject({ code: 'log.closed' });
    await thread.stop();
  });

  it('reports a thread that throws, or ends without a request', async () => {
    await expect((await start(`${READY} setTimeout(() => { throw new Error('oops'); }, 20);`)).failed).rejects.toThrow(
      /the test worker stopped: .*oops/s,
    );
    await expect((await start(`${READY} setTimeout(() => process.exit(), 20); ${STAY}`)).failed).rejects.toMatchObject({
      code: 'worker.failed',
    });
  });
});
