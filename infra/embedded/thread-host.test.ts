// A worker thread that fails, ends or hangs is reported by name and never waited for.
import { expect, it } from 'vitest';
import { startThread } from './thread-host.ts';

const READY = "parentPort.postMessage({ type: 'ready', info: { listen: 'here' } });";
const STAY = "parentPort.on('message', () => {}); setInterval(() => {}, 1000);";
const FAILED = "parentPort.postMessage({ type: 'failed', error: { code: 'log.closed', details: {}, text: 'closed' } });";

function start(body: string, onStats: (stats: unknown) => void = () => {}) {
  const code = `import { parentPort } from 'node:worker_threads'; ${body}`;
  const logger = { info: () => {}, warn: () => {} };
  return startThread('test', new URL(`data:text/javascript,${encodeURIComponent(code)}`), {}, logger, onStats);
}

it('resolves with the information of the ready thread, passes on its statistics, and ends it on stop', async () => {
  const seen: unknown[] = [];
  const stats = "parentPort.postMessage({ type: 'stats', stats: 7 });";
  const thread = await start(`${stats} ${READY} parentPort.once('message', () => parentPort.close());`, (value) => seen.push(value));
  expect([thread.info, seen]).toEqual([{ listen: 'here' }, [7]]);
  await thread.stop();
});

it('rejects when the thread fails, with its error code, and does not wait for a failed thread', async () => {
  await expect(start(`${FAILED} ${STAY}`)).rejects.toMatchObject({ code: 'log.closed' });
  const thread = await start(`${READY} setTimeout(() => { ${FAILED} }, 20); setTimeout(() => process.exit(), 2000); ${STAY}`);
  await expect(thread.failed).rejects.toMatchObject({ code: 'log.closed' });
  await thread.stop();
});

it.each(["throw new Error('oops')", 'process.exit()'])('reports a thread that ends without a request: %s', async (end) => {
  const { failed } = await start(`${READY} setTimeout(() => { ${end}; }, 20); ${STAY}`);
  await expect(failed).rejects.toMatchObject({ code: 'worker.failed', message: expect.stringMatching(/the test worker stopped: /) });
});
