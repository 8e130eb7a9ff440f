// The contract of the history store, on the embedded store and on a server that CLICKHOUSE_URL names.
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { historyEngine, startHistoryStore } from '../support/history-store.ts';
import { historyStoreContract } from './history-store.contract.ts';

const engine = historyEngine();
if (engine.met) historyStoreContract('embedded', () => startHistoryStore({ tables: false }));
else describe('history store: embedded', () => it.skip(engine.reason));

const server = process.env['CLICKHOUSE_URL'];
if (server !== undefined) {
  const { origin, username, password } = new URL(server);
  const address = { url: origin, user: username || 'default', password, database: `squitter_${randomUUID().slice(0, 8)}` };
  historyStoreContract(origin, async () => ({ address, stop: async () => {} }));
}
