// Redocly's linter reads the contract without a complaint, and would have one about a fault.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lintFromString, loadConfig } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { projectDir } from '../../../test/support/requirements.ts';

const text = readFileSync(join(projectDir, 'schemas/api/openapi.json'), 'utf8');
const config = loadConfig({ configPath: join(import.meta.dirname, 'redocly.yaml') });

async function complaints(source: string): Promise<string[]> {
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config: await config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

test('schemas/api/openapi.json has no errors and no warnings', async () => {
  expect(await complaints(text)).toEqual([]);
});

test('faults are noticed', async () => {
  const broken = JSON.parse(text) as { paths: Record<string, { get: Record<string, unknown> }> };
  broken.paths['/v2/all']!.get!['operationId'] = 'stats';
  broken.paths['/v2/stats']!.get!['responses'] = {
    200: { description: 'OK', content: { 'application/json': { schema: { $ref: '#/nowhere' } } } },
  };
  const rules = new Set((await complaints(JSON.stringify(broken))).map((complaint) => complaint.split(' ')[0]));
  for (const rule of ['operation-operationId-unique', 'no-unresolved-refs', 'operation-4xx-response']) expect(rules).toContain(rule);
});
