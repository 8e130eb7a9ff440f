// The real schema registry as infra/local starts it: ids survive kill -9 when Kafka stores the schemas.
import { expect, it, vi } from 'vitest';
import { startRegistry } from '../../infra/local/registry.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';

/** Registers an Avro record schema and returns its id. */
async function register(url: string, subject: string, name: string): Promise<number> {
  const schema = JSON.stringify({ type: 'record', name, fields: [] });
  const response = await fetch(`${url}/subjects/${subject}/versions`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify({ schema }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { id: number }).id;
}

describeWithKafka('the local registry', () => {
  vi.setConfig({ testTimeout: 120_000 });

  const brokers = sharedKafka();
  const inMemory = sharedRegistry();

  it('serves the Confluent API from memory', async () => {
    const id = await register(inMemory(), 'local-registry.first', 'First');
    const found = (await (await fetch(`${inMemory()}/schemas/ids/${id}`)).json()) as { schema: string };
    expect(JSON.parse(found.schema)).toMatchObject({ name: 'First' });
  });

  it('keeps ids over kill -9 when Kafka stores the schemas', async () => {
    const registry = await startRegistry({ brokers: brokers() });
    const ids = [await register(registry.url, 'first', 'First'), await register(registry.url, 'second', 'Second')];
    await registry.kill();
    await registry.restart();
    expect([await register(registry.url, 'first', 'First'), await register(registry.url, 'second', 'Second')]).toEqual(ids);
    expect(await register(registry.url, 'third', 'Third')).toBeGreaterThan(Math.max(...ids));
    await registry.stop();
  });
});
