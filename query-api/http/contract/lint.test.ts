// Redocly's linter reads the contract without a complaint.
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
