// The thread that writes the history, when it fails: readiness says so, and log lines are bounded.
import { expect, it } from 'vitest';
import { until } from '../../test/support/until.ts';
import { KeptThread } from './history-writing.ts';

it('says why the thread failed, and stops while it waits for the next one', async () => {
  const lines: string[] = [];
  const line = (_: unknown, message?: string): number => lines.push(message ?? '');
  const failing = new URL('data:text/javascript,throw new Error("no log")');
  const thread = new KeptThread(failing, {} as never, { info: line, warn: line } as never);
  const failure = await until(() => thread.failure);
  expect(failure).toContain('the thread that writes the history failed');
  expect(failure).toContain('no log');
  await thread.stop();
  expect(lines).toEqual(['the thread that writes the history failed; another one is started']);
});
