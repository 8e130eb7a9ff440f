// The contract of the history store, on the embedded store and on a server that CLICKHOUSE_URL names.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { historyEngine, startHistoryStore } from '../support/history-store.ts';
import { projectDir } from '../support/requirements.ts';
import { historyStoreContract } from './history-store.contract.ts';

const engine = historyEngine();
if (engine.met) historyStoreContract('embedded', () => startHistoryStore({ tables: false }));
else describe('history store: embedded', () => it.skip(engine.reason));

// What the tests prove of the embedded store holds for the cluster's server, as far as both are of one release line.
describe.skipIf(!engine.met)(`the engine ${engine.reason}`, () => {
  it('is of the same release line as the image of the cluster', async () => {
    const { services } = parse(readFileSync(join(projectDir, 'infra/compose/compose.yaml'), 'utf8'), { merge: true });
    const store = await startHistoryStore();
    const [row] = await store.client.rows<{ version: string }>('SELECT version() AS version').finally(() => store.stop());
    const line = (version: string): string => version.split('.').slice(0, 2).join('.');
    expect(services.clickhouse.image).toMatch(/^clickhouse\/clickhouse-server:\d+\.\d+\.\d+\.\d+$/);
    expect(line(services.clickhouse.image.split(':')[1])).toBe(line(row!.version));
  });
});

const server = process.env['CLICKHOUSE_URL'];
if (server !== undefined) {
  const { origin, username, password } = new URL(server);
  const address = { url: origin, user: username || 'default', password, database: `squitter_${randomUUID().slice(0, 8)}` };
  historyStoreContract(origin, async () => ({ address, stop: async () => {} }));
}
