// The contract of the history store, on the embedded store and on a server that CLICKHOUSE_URL names.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ClickHouseSettings } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { projectDir } from '../support/requirements.ts';
import { temporaryFolder } from '../support/service.ts';
import { historyStoreContract } from './history-store.contract.ts';

const engine = historyEngine();
if (engine.met) historyStoreContract('embedded', () => startHistoryStore({ tables: false }));
else describe('history store: embedded', () => it.skip(engine.reason));

describe.skipIf(!engine.met)(`the engine ${engine.reason}`, () => {
  const folder = temporaryFolder();
  let store: TestHistoryStore;
  beforeAll(async () => {
    store = await startHistoryStore();
  });
  afterAll(async () => {
    await store.stop();
    folder.remove();
  });

  // Proofs with the embedded store hold for the cluster's server while both are of one release line.
  it('is of the same release line as the image of the cluster', async () => {
    const { services } = parse(readFileSync(join(projectDir, 'infra/compose/compose.yaml'), 'utf8'), { merge: true });
    const [row] = await store.client.rows<{ version: string }>('SELECT version() AS version');
    const line = (version: string): string => version.split('.').slice(0, 2).join('.');
    expect(services.clickhouse.image).toMatch(/^clickhouse\/clickhouse-server:\d+\.\d+\.\d+\.\d+$/);
    expect(line(services.clickhouse.image.split(':')[1])).toBe(line(row!.version));
  });

  it('reads and writes nothing outside for its client', async () => {
    let requests = 0;
    const listener = createServer((_, response) => {
      requests += 1;
      response.end('SECRET\n');
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/a.csv`;
    const inside = join(folder.path, 'inside');
    const file = join(folder.path, 'secret.csv');
    const made = join(folder.path, 'made.csv');
    mkdirSync(folder.path, { recursive: true });
    writeFileSync(file, 'SECRET\n');
    await store.client.command('CREATE TABLE outside (a String) ENGINE = MergeTree ORDER BY a');
    const readsFile = `SELECT file('${file}')`;
    const template = ['format_template_row', 'format_template_resultset', 'format_schema'];
    const attacks = [
      readsFile,
      `SELECT * APPLY file FROM (SELECT '${file}')`,
      `SELECT arrayMap(file, ['${file}'])`,
      `SELECT "fi\\\\le"('${file}')`,
      `SELECT \`file\`('${file}')`,
      `EXPLAIN ${readsFile}`,
      `SELECT * FROM file('${file}')`,
      `SELECT * FROM url('${url}')`,
      `DESCRIBE TABLE url('${url}')`,
      `SELECT * FROM '${file}'`,
      `SELECT * FROM default.\`${file}\``,
      `INSERT INTO default.\`${made}\` SELECT 'x'`,
      `SELECT 1 IN (SELECT a FROM uRl('${url}', CSV, 'a String'))`,
      `SELECT * FROM s3('${url}', 'CSV')`,
      `SELECT * FROM remote('127.0.0.1:1', system.one)`,
      `SELECT * FROM executable('x', 'CSV', 'a String')`,
      `SELECT * FROM eval('${readsFile.replaceAll("'", "\\'")}') SETTINGS allow_experimental_eval_table_function = 1`,
      `SELECT * FROM format('JSONEachRow', concat('a String, b String DEFAULT fi', 'le(''${file}'')'), '{"a":"x"}')`,
      `INSERT INTO outside SELECT * FROM file('${file}', 'LineAsString')`,
      `INSERT INTO FUNCTION file('${made}', 'CSV', 'a String') SELECT 'x'`,
      `INSERT INTO outside VALUES (file('${file}'))`,
      `INSERT INTO outside FROM INFILE '${file}' FORMAT LineAsString`,
      `SELECT 1 INTO OUTFILE '${made}'`,
      `SELECT 1 /* */ into -- \n outfile '${made}' FORMAT CSV`,
      `CREATE VIEW v AS SELECT * FROM file('${file}', 'LineAsString')`,
      `CREATE TABLE o ENGINE = File(CSV, '${file}')`,
      `CREATE TABLE o (a String) ENGINE = URL('${url}', CSV)`,
      `CREATE TABLE o AS url('${url}', CSV)`,
      `CREATE DATABASE o ENGINE = Filesystem('/')`,
      `CREATE TABLE o (a String) ORDER BY a SETTINGS disk = disk(type = 'local', path = '${inside}/')`,
      `CREATE TABLE o (a String) ORDER BY a SETTINGS disk = disk(type = 's3', endpoint = '${url}/a/', access_key_id = 'a', secret_access_key = 'b')`,
      `ATTACH TABLE o FROM '${folder.path}' (a String) ENGINE = MergeTree ORDER BY a`,
      `BACKUP TABLE outside TO File('${inside}')`,
      `CREATE DICTIONARY o (a String) PRIMARY KEY a SOURCE(HTTP(URL '${url}' FORMAT 'CSV')) LIFETIME(0) LAYOUT(COMPLEX_KEY_HASHED())`,
      `ALTER TABLE outside ADD COLUMN b String DEFAULT file('${file}')`,
      `CREATE FUNCTION o AS (x) -> file(x)`,
      `GRANT FILE ON *.* TO default`,
      ...template.map((name) => `SELECT 1 AS a FORMAT Template SETTINGS ${name} = '${file}'`),
      `SELECT 1 AS a FORMAT Protobuf SETTINGS output_format_schema = '${made}'`,
      `SELECT 1 # '\n, file('${file}') --'`,
      `SELECT ‘'’, file('${file}') --'`,
    ];
    const outcome = (call: Promise<unknown>): Promise<string> =>
      call.then(
        () => 'taken',
        (error: Error) => error.message,
      );
    for (const query of attacks) {
      const text = await outcome(store.client.plain.command({ query }));
      expect(text, query).not.toMatch(/^taken$|SECRET/);
    }
    const insert = (format: string, body: string, settings: ClickHouseSettings = {}): Promise<string> =>
      outcome(
        store.client.plain.exec({
          query: `INSERT INTO outside FORMAT ${format}`,
          values: Readable.from([body]),
          clickhouse_settings: settings,
        }),
      );
    expect(await insert('Values', `(file('${file}'))`)).toMatch(/NOT_IMPLEMENTED|Values/);
    expect(await insert('AvroConfluent', '\0\0\0\0\x01x', { format_avro_schema_registry_url: url })).toMatch(
      /constraint|should not be changed/i,
    );
    expect(await insert('CSV', 'x\n', { input_format_record_errors_file_path: made })).toMatch(/should not be changed/);
    expect(await store.client.rows('SELECT count() AS n FROM outside')).toEqual([{ n: 0 }]);
    expect([requests, existsSync(made), existsSync(inside)]).toEqual([0, false, false]);
    listener.close();
  });
});

const server = process.env['CLICKHOUSE_URL'];
if (server !== undefined) {
  const { origin, username, password } = new URL(server);
  const address = { url: origin, user: username || 'default', password, database: `squitter_${randomUUID().slice(0, 8)}` };
  historyStoreContract(origin, async () => ({ address, stop: async () => {} }));
}
