// Reference data as users import them: into a running service, which shows them within seconds.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type RunningService, squitter, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

interface Aircraft {
  readonly hex: string;
  readonly r?: string;
  readonly t?: string;
  readonly ownOp?: string;
}

describe('squitter reference import', { timeout: 60_000 }, () => {
  const folder = temporaryFolder();
  afterAll(folder.remove);
  const data = join(folder.path, 'data');
  const file = join(folder.path, 'aircraft.csv');

  it('is loaded by a running service, and by the next one', async () => {
    let service = await startService(data, ['--simulate', '20']);
    try {
      const hex = await until(async () => (await aircraftOf(service, '/v2/all'))[0]?.hex);
      writeFileSync(file, `${hex};TEST-1;B738;10;BOEING 737-800;2003;SOMEBODY;\nnonsense;;;;;;;\n`);
      const run = await squitter(['reference', 'import', file, '--data', data]);
      expect(run.stderr).toBe('');
      expect(run.stdout).toContain("aircraft (readsb's aircraft.csv): 1 rows taken\n    1 refused: not a 24-bit address (line 2)\n");
      expect(run.code).toBe(0);
      const expected = { r: 'TEST-1', t: 'B738', desc: 'BOEING 737-800', year: '2003', ownOp: 'SOMEBODY', dbFlags: 1 };
      const known = await until(async () => (await aircraftOf(service, `/v2/hex/${hex}`)).find(({ r }) => r === 'TEST-1'));
      expect(known).toMatchObject(expected);
      await service.stop();
      service = await startService(data, ['--no-simulation']);
      expect(await (await service.get('/metrics')).text()).toContain('squitter_reference_rows{kind="aircraft"} 1\n');
    } finally {
      await service.kill();
    }
  });

  it('reports errors, and changes nothing in that case', async () => {
    writeFileSync(file, 'a,b,c\n1,2,3\n');
    const unknown = await squitter(['reference', 'import', file, '--data', data]);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toMatch(/^squitter: \S+aircraft\.csv has no reference data .* \[reference\.unknown_format\]\n$/);
    expect(await squitter(['reference', 'show', file])).toMatchObject({ code: 2 });
    expect(await squitter(['reference', 'import'])).toMatchObject({ code: 2 });
    expect((await squitter(['reference', '--help'])).stdout).toContain('squitter reference import standing-data.tar.xz');
  });
});

async function aircraftOf(service: RunningService, path: string): Promise<Aircraft[]> {
  const response = await service.get(path);
  return response.ok ? ((await response.json()) as { ac: Aircraft[] }).ac : [];
}
