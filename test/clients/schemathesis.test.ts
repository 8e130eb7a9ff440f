// Schemathesis reads the contract from the running service and attacks it for a while: no 5xx, no response outside the contract.
import { execFile } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HistoryStore } from '../../query-api/queries/history/history-store.ts';
import { type EmptyPast, startEmptyPast } from '../support/empty-past.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import type { TestApi } from '../support/live-view.ts';
import { pythonPackages } from '../support/requirements.ts';
import { temporaryFolder } from '../support/service.ts';
import { createWildApi } from '../wild/aircraft.ts';

const SECONDS = 15;
const run = promisify(execFile);

const python = pythonPackages();

describe.skipIf(!python.met)(`schemathesis ${python.reason}`, () => {
  const folder = temporaryFolder();
  let api: TestApi;
  let store: TestHistoryStore | null = null;
  let empty: EmptyPast;
  let url = '';
  beforeAll(async () => {
    store = historyEngine().met ? await startHistoryStore() : null;
    empty = await startEmptyPast();
    api = await createWildApi(2, { history: new HistoryStore(store?.client ?? null), past: empty.past });
    await api.app.listen({ host: '127.0.0.1', port: 0 });
    url = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await api.app.close();
    await empty.stop();
    await store?.stop();
    folder.remove();
  });

  test('finds nothing', async () => {
    const program = join(dirname(python.path), 'schemathesis');
    const settings = ['--config-file', join(import.meta.dirname, 'schemathesis.toml'), 'run', `${url}/openapi.json`];
    const phases = ['--phases', 'examples,coverage,fuzzing,stateful', '--max-time', String(SECONDS), '--seed', '1'];
    const output = await run(program, [...settings, ...phases], { cwd: folder.path, maxBuffer: 256 * 1024 * 1024 }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => expect.fail(stdout.replace(/(.{300}).*/g, '$1')),
    );
    expect(output).toMatch(/[1-9]\d{2,} generated/);
  });
});
