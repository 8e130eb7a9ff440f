// The AsyncAPI document of the log is what the topic table gives. An AsyncAPI parser reads it, and that of the streams, without a complaint.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import avsc, { type Schema } from 'avsc';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { topicSettings } from '../../pipeline/log/kafka/topics.ts';
import { asyncApiDocument } from '../../test/support/asyncapi.ts';
import { nodeToolsWith } from '../../test/support/requirements.ts';
import { avroSchemas } from '../avro/index.ts';
import { FRAME_PARTITIONS_CLUSTER, topicIds, topicPartitions, topics } from '../topics.ts';

// Not a dependency: what it brings runs telemetry when it is installed.
const tools = nodeToolsWith('@asyncapi/parser@3.6.3');

/** The part of its interface that is used here. */
interface AsyncApiParser {
  registerSchemaParser(parser: object): void;
  parse(text: string): Promise<{
    readonly document?: { channels(): { all(): { address(): string }[] } };
    readonly diagnostics: readonly { readonly code: string; readonly message: string; readonly path: readonly string[] }[];
  }>;
}

function openParser(): AsyncApiParser {
  const { Parser } = createRequire(join(tools.path, 'package.json'))('@asyncapi/parser') as { Parser: new () => AsyncApiParser };
  return new Parser();
}

const file = join(import.meta.dirname, 'asyncapi.yaml');
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string };

/** The parser leaves Avro to others: avsc says whether a schema is one. */
function avroParser(names: Set<string>) {
  return {
    getMimeTypes: () => ['application/vnd.apache.avro;version=1.9.0'],
    validate: async () => [],
    parse: async ({ data }: { data: unknown }) => {
      names.add(avsc.Type.forSchema(structuredClone(data) as Schema).branchName!);
      return data as object;
    },
  };
}

test('asyncapi.yaml is what the topic table gives', async () => {
  const text = stringify(asyncApiDocument(version), { lineWidth: 0, aliasDuplicateObjects: false });
  await expect(`# Generated from schemas/topics.ts and schemas/avro by test/support/asyncapi.ts.\n${text}`).toMatchFileSnapshot(file);
});

test('topics have the settings that are set on the brokers', () => {
  const { channels } = asyncApiDocument(version) as {
    channels: Record<string, { bindings: { kafka: { partitions: number; topicConfiguration: Record<string, unknown> } } }>;
  };
  for (const id of topicIds) {
    const { partitions, topicConfiguration } = channels[id]!.bindings.kafka;
    const settings = topicSettings(topics[id], 3);
    for (const [name, value] of Object.entries(topicConfiguration)) expect([id, name, String(value)]).toEqual([id, name, settings[name]]);
    expect('retention.ms' in topicConfiguration).toBe('retention.ms' in settings);
    expect(partitions).toBe(topicPartitions(topics[id], FRAME_PARTITIONS_CLUSTER));
  }
});

test.skipIf(!tools.met)(`an AsyncAPI parser reads it, and the contract of the streams, without a complaint ${tools.reason}`, async () => {
  const schemas = new Set<string>();
  const read = async (path: string): Promise<string[]> => {
    const parser = openParser();
    parser.registerSchemaParser(avroParser(schemas));
    const { document, diagnostics } = await parser.parse(readFileSync(path, 'utf8'));
    expect(diagnostics.map(({ code, message, path }) => `${code} ${path.join('.')}: ${message}`)).toEqual([]);
    return Array.from(document!.channels().all(), (channel) => channel.address());
  };
  expect(await read(file)).toEqual(topicIds.map((id) => topics[id].name));
  expect(schemas).toEqual(new Set(Object.keys(avroSchemas).map((name) => `squitter.v1.${name}`)));
  const streams = ['/ws/', '/v2/ws', '/v2/ws', '/v2/stream', '/v2/stream/snapshot', null, null];
  expect(await read(join(import.meta.dirname, 'push-asyncapi.json'))).toEqual(streams);
});
