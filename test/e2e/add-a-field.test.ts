// One new row in a copy of the field table, without other changes: types are valid, the fold writes the field, the view reads it and shows it
// in `/v2`, the contract and the Avro schema contain it, a change of it has a bit, and `verify` compares it.
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aircraftFields } from '../../schemas/aircraft-fields.ts';

const projectDir = join(import.meta.dirname, '../..');
const NUMBER = Math.max(...aircraftFields.map((row) => ('number' in row ? row.number : 0))) + 1;
const ROW = `  { number: ${NUMBER}, name: 'probeDeciFt', member: 'probe', readsb: 'probe', type: 'int', decimals: 1, unit: 'ft', range: [-50, 5000],
    group: 'altitudeGeom', near: 0.15, about: 'A probe.' },\n`;
/** The row goes before this one, so that it is neither the first nor the last member. */
const BEFORE = /^ {2}\{ number: \d+, name: 'groundSpeedDeciKt'/m;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'squitter-field-'));
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: projectDir, encoding: 'utf8' });
  for (const file of listed.split('\n').filter((name) => name !== '' && existsSync(join(projectDir, name)))) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    copyFileSync(join(projectDir, file), join(folder, file));
  }
  symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'));
  const table = join(folder, 'schemas/aircraft-fields.ts');
  const text = readFileSync(table, 'utf8');
  expect(text).toMatch(BEFORE);
  writeFileSync(
    table,
    text.replace(BEFORE, (row) => ROW + row),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A module of the copy. */
const copied = <Module>(file: string): Promise<Module> => import(join(folder, file)) as Promise<Module>;

test('its type is known everywhere', async () => {
  await promisify(execFile)(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'], { cwd: folder });
}, 120_000);

test('a value in the fold arrives in /v2, under the contract', async () => {
  const { aircraftStateSchema } = await copied<typeof import('../../schemas/avro/aircraft-state.ts')>('schemas/avro/aircraft-state.ts');
  expect(aircraftStateSchema.fields.at(-1)).toEqual({ name: 'probeDeciFt', type: ['null', 'int'], default: null, doc: 'A probe.' });

  const { benchAircraft } = await copied<typeof import('../support/fold-aircraft.ts')>('test/support/fold-aircraft.ts');
  const { put } = await copied<typeof import('../../pipeline/fold/accept.ts')>('pipeline/fold/accept.ts');
  const layout = await copied<typeof import('../../pipeline/fold/layout.ts')>('pipeline/fold/layout.ts');
  const { writeState } = await copied<typeof import('../../pipeline/fold/state-writer.ts')>('pipeline/fold/state-writer.ts');
  const { stateOf } = await copied<typeof import('../../pipeline/fold/state.ts')>('pipeline/fold/state.ts');
  const { AvroWriter } = await copied<typeof import('../../pipeline/avro/writer.ts')>('pipeline/avro/writer.ts');
  const { avroType } = await copied<typeof import('../../pipeline/log/avro.ts')>('pipeline/log/avro.ts');
  const { createTestApi } = await copied<typeof import('../support/live-view.ts')>('test/support/live-view.ts');
  const { NOW_MS } = await copied<typeof import('../support/full-state.ts')>('test/support/full-state.ts');

  const { aircraft } = benchAircraft();
  put(aircraft, layout.F_ALTITUDE_GEOM, 36_025);
  aircraft.words[aircraft.at + layout.W_MESSAGES] = 5;
  const writer = new AvroWriter();
  writeState(writer, aircraft, NOW_MS, NOW_MS);
  const state = avroType(aircraftStateSchema).fromBuffer(Buffer.from(writer.bytes.subarray(0, writer.length)));
  expect(state).toMatchObject({ hex: '3c6586', altitudeGeomFt: 36_025, probeDeciFt: 36_025, iasKt: null });
  expect(stateOf(aircraft, NOW_MS, NOW_MS)).toEqual(state);

  const api = await createTestApi(0);
  try {
    api.view.table.applyState(state);
    api.view.table.applyState({ ...state, hex: 'aaaaaa', probeDeciFt: null });
    api.view.tick(NOW_MS);
    // Every response is checked against the contract, which allows no undeclared members.
    const { ac } = (await api.app.inject('/v2/hex/3c6586,aaaaaa')).json<{ ac: Record<string, unknown>[] }>();
    const shown = ac.find(({ hex }) => hex === '3c6586')!;
    expect(shown).toMatchObject({ alt_geom: 36_025, probe: 3602.5 });
    expect(Object.keys(shown).indexOf('probe')).toBe(Object.keys(shown).indexOf('alt_geom') + 1);
    expect(ac.find(({ hex }) => hex === 'aaaaaa')).not.toHaveProperty('probe');
    expect((await api.app.inject('/v2/hex/3c6586?fields=hex,probe')).json<{ ac: unknown[] }>().ac).toEqual([
      { hex: '3c6586', probe: 3602.5 },
    ]);
    const contract = (await api.app.inject('/openapi.json')).json<{ components: { schemas: Record<string, { properties: object }> } }>();
    expect(contract.components.schemas['Aircraft']!.properties).toMatchObject({
      probe: { type: 'number', description: 'A probe. Unit: ft, 1 decimal.', minimum: -50, maximum: 5000 },
    });
    const streams = (await api.app.inject('/asyncapi.json')).json<{ components: { schemas: Record<string, { properties: object }> } }>();
    const { Aircraft, AircraftUpdate, Filter } = streams.components.schemas;
    expect(Aircraft!.properties).toMatchObject({ probe: { type: 'number', minimum: -50, maximum: 5000 } });
    expect(AircraftUpdate!.properties).toMatchObject({ probe: { oneOf: [{}, { type: 'null' }] } });
    expect(Filter!.properties).toMatchObject({ fields: { items: { enum: expect.arrayContaining(['probe']) } } });
  } finally {
    await api.app.close();
  }
}, 120_000);

test('a change of it has a bit, and verify compares it', async () => {
  const { changeFields } = await copied<typeof import('../../pipeline/view/changes.ts')>('pipeline/view/changes.ts');
  expect(changeFields).toContain('probeDeciFt');
  const { fieldRules } = await copied<typeof import('../../pipeline/tools/verify-fields.ts')>('pipeline/tools/verify-fields.ts');
  expect(fieldRules).toContainEqual({ name: 'probe', kind: 'number', near: 0.15 });
});
