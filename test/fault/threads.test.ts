// Threads that serve calls end at once, whatever they do: load their code, wait, or compute. Those with something open close it first. Needs `npm run build`.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CalledThread } from '../../pipeline/runtime/thread-calls.ts';
import { projectDir } from '../support/requirements.ts';
import { until } from '../support/until.ts';

const CALLS = JSON.stringify(pathToFileURL(join(projectDir, 'dist/modules/pipeline/runtime/thread-calls.js')).href);
/** Words that the thread sets: it runs, it has closed its server. */
const [RUNS, CLOSED] = [0, 1];
const words = (): Int32Array<SharedArrayBuffer> => new Int32Array(new SharedArrayBuffer(8));

/** A thread of this code, which has `words` and `runs()`. */
function threadOf(code: string, shared: Int32Array): CalledThread<string, string> {
  const source = `
    import { workerData as words } from 'node:worker_threads';
    import { serveCalls } from ${CALLS};
    const runs = () => { Atomics.store(words, ${RUNS}, 1); };
    const close = async () => { Atomics.store(words, ${CLOSED}, 1); };
    ${code}`;
  return new CalledThread('test', new URL(`data:text/javascript,${encodeURIComponent(source)}`), shared);
}

const running = (shared: Int32Array): Promise<unknown> => until(async () => Atomics.load(shared, RUNS) === 1 || undefined, 'the thread');

describe('a thread that serves calls', () => {
  it('is ended while it loads its code, before it opens anything', async () => {
    const shared = words();
    const thread = threadOf(`runs(); for (;;) {} serveCalls(async () => ({ handle: async () => '', close }));`, shared);
    const call = thread.call('never served').catch((error: { code: string }) => error.code);
    await running(shared);
    await thread.close();
    expect([await call, thread.hasEnded, shared[CLOSED]]).toEqual(['worker.failed', true, 0]);
  });

  it('ends a computation that asks whether to end, and closes what it has open', async () => {
    const shared = words();
    const handle = 'async handle() { runs(); while (!isEnding()); throw new Error("ended"); }';
    const thread = threadOf(`serveCalls(async ({ isEnding }) => ({ ${handle}, close }));`, shared);
    const call = thread.call('compute').catch((error: Error) => error.message);
    await running(shared);
    await thread.close();
    expect([await call, shared[CLOSED]]).toEqual([expect.stringContaining('ended'), 1]);
  });

  it('closes what it has open while it waits', async () => {
    const shared = words();
    const thread = threadOf(`serveCalls(async () => ({ handle: async (text) => text + '!', close }));`, shared);
    expect(await thread.call('ready')).toBe('ready!');
    await thread.close();
    expect(shared[CLOSED]).toBe(1);
    await expect(thread.call('again')).rejects.toMatchObject({ code: 'worker.failed' });
  });
});
