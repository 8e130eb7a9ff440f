// The examples in docs/extend, applied to one copy of the project: it is built, types are valid, and what they add works and passes the tests of the contracts.
import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog, GroupMember } from '../../pipeline/log/event-log.ts';
import { aircraftFields } from '../../schemas/aircraft-fields.ts';
import type { EndedFlight } from '../../schemas/avro/ended-flight.ts';
import { handFlight } from '../support/hand-day.ts';

const projectDir = join(import.meta.dirname, '../..');
const NUMBER = Math.max(...aircraftFields.map((row) => ('number' in row ? row.number : 0))) + 1;
/** A block of code with the file that it is, or changes. */
const BLOCK = /^```(ts|json|diff) (\S+)\n([\s\S]*?)^```$/gm;

let folder: string;

const pages = (): string[] => readdirSync(join(projectDir, 'docs/extend')).filter((page) => page.startsWith('add-'));

/** Applies the blocks of a page in order, and returns the files. */
function follow(page: string): string[] {
  const blocks = [...readFileSync(join(projectDir, 'docs/extend', page), 'utf8').matchAll(BLOCK)];
  return blocks.map(([, kind, file, text]) => {
    const path = join(folder, file!);
    if (kind === 'diff') writeFileSync(path, changed(readFileSync(path, 'utf8'), text!.replace('number: N,', `number: ${NUMBER},`), file!));
    else {
      expect(existsSync(path), `${file} is new`).toBe(false);
      writeFileSync(path, text!);
    }
    return file!;
  });
}

/** Adds the lines with `+` beside those that are there, once; a line that is there may end in `…`. */
function changed(text: string, block: string, file: string): string {
  const lines = text.split('\n');
  const rows = block.trimEnd().split('\n');
  const old = rows.filter((row) => row.startsWith(' ')).map((row) => row.slice(1));
  const fits = (line: string, shown: string): boolean => (shown.endsWith('…') ? line.startsWith(shown.slice(0, -1)) : line === shown);
  const starts = lines.flatMap((_, i) => (old.every((shown, j) => fits(lines[i + j] ?? '', shown)) ? [i] : []));
  expect(starts, `${file} has once: ${old.join(' / ')}`).toHaveLength(1);
  let next = starts[0]!;
  const made = rows.map((row) => {
    if (row.startsWith('+')) return row.slice(1);
    next += 1;
    return lines[next - 1]!;
  });
  return [...lines.slice(0, starts[0]), ...made, ...lines.slice(next)].join('\n');
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'squitter-field-'));
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: projectDir, encoding: 'utf8' });
  for (const file of listed.split('\n').filter((name) => name !== '' && existsSync(join(projectDir, name)))) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    copyFileSync(join(projectDir, file), join(folder, file));
  }
  symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'));
  const followed = pages().filter((page) => follow(page).length > 0);
  expect(followed).toEqual(['add-a-field.md', 'add-a-message.md', 'add-a-route.md', 'add-a-stage.md', 'add-a-topic.md']);
  build();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const build = (): void =>
  void execFileSync(process.execPath, ['build.js', '--if-changed'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });

/** A module of the copy. */
const copied = <Module>(file: string): Promise<Module> => import(join(folder, file)) as Promise<Module>;

test('each file of the tables is there, unless it is new', () => {
  const named = pages().flatMap((page) => {
    const text = readFileSync(join(projectDir, 'docs/extend', page), 'utf8');
    const cells = [...text.matchAll(/^\| (`.*?) \| (.*?) \|$/gm)].filter(([, , what]) => !/^new:/.test(what!));
    return cells.flatMap(([, files]) => [...files!.matchAll(/`([\w./-]+\/[\w./-]*)`/g)].map(([, file]) => file!));
  });
  const missing = named.filter((file) => !/NAME|X-Y|vN/.test(file) && !existsSync(join(projectDir, file)));
  expect(named.length).toBeGreaterThan(30);
  expect(missing).toEqual([]);
});

test('types are valid', async () => {
  await promisify(execFile)(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'], { cwd: folder });
});

test('a field: a value in the fold arrives in /v2, under the contract', async () => {
  const { aircraftStateSchema } = await copied<typeof import('../../schemas/avro/aircraft-state.ts')>('schemas/avro/aircraft-state.ts');
  expect(aircraftStateSchema.fields.at(-1)).toEqual({ name: 'probeDeciFt', type: ['null', 'int'], default: null, doc: 'A probe.' });

  const { benchAircraft } = await copied<typeof import('../support/fold-aircraft.ts')>('test/support/fold-aircraft.ts');
  const { put } = await copied<typeof import('../../pipeline/fold/accept.ts')>('pipeline/fold/accept.ts');
  const layout = await copied<typeof import('../../pipeline/fold/layout.ts')>('pipeline/fold/layout.ts');
  const { writeState } = await copied<typeof import('../../pipeline/fold/state-writer.ts')>('pipeline/fold/state-writer.ts');
  const { AvroWriter } = await copied<typeof import('../../pipeline/avro/writer.ts')>('pipeline/avro/writer.ts');
  const { avroType } = await copied<typeof import('../../pipeline/log/avro.ts')>('pipeline/log/avro.ts');
  const { createTestApi } = await copied<typeof import('../support/live-view.ts')>('test/support/live-view.ts');
  const { NOW_MS } = await copied<typeof import('../support/full-state.ts')>('test/support/full-state.ts');

  const { aircraft } = benchAircraft();
  put(aircraft, layout.F_ALTITUDE_GEOM, 36_025);
  aircraft.words[aircraft.at + layout.W_MESSAGES] = 5;
  const writer = new AvroWriter();
  aircraft.timeBaseMs = NOW_MS;
  writeState(writer, aircraft);
  const state = avroType(aircraftStateSchema).fromBuffer(Buffer.from(writer.bytes.subarray(0, writer.length)));
  expect(state).toMatchObject({ hex: '3c6586', altitudeGeomFt: 36_025, probeDeciFt: 36_025, iasKt: null });

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
    const probe = { type: 'number', description: 'A probe. Unit: ft, 1 decimal.', minimum: -50, maximum: 5000 };
    for (const document of ['/openapi.json', '/asyncapi.json']) {
      const { components } = (await api.app.inject(document)).json<{ components: { schemas: Record<string, { properties: object }> } }>();
      expect(components.schemas['Aircraft']!.properties).toMatchObject({ probe });
    }
  } finally {
    await api.app.close();
  }
});

test('a message: it is decoded, and shown in a line of `squitter decode`', async () => {
  const { decodeHex, squitter } = await copied<typeof import('../golden/frames.ts')>('test/golden/frames.ts');
  const { messageFields } = await copied<typeof import('../../pipeline/decode/json.ts')>('pipeline/decode/json.ts');
  const frameWith = (count: number) => squitter([25, 5, 0, 3, count, 8]);
  expect(decodeHex(frameWith(7))).toMatchObject({ typeCode: 25, probeMessage: { count: 7 } });
  const shown = (count: number) => messageFields(decodeHex(frameWith(count)), Buffer.from(frameWith(count), 'hex'), 0);
  expect(shown(7)).toMatchObject({ probes: 7 });
  expect(shown(255)).not.toHaveProperty('probes');
});

test('a route: it responds, and the tests of the contracts pass after they wrote them', async () => {
  const { createTestApi } = await copied<typeof import('../support/live-view.ts')>('test/support/live-view.ts');
  const api = await createTestApi(20);
  try {
    const { body } = await api.app.inject('/v2/stats/highest');
    const altitudes = (await api.app.inject('/v2/all')).json<{ ac: { alt_baro?: number | string }[] }>().ac.map(({ alt_baro }) => alt_baro);
    const highest = Math.max(...altitudes.filter((altitude) => typeof altitude === 'number'));
    expect(JSON.parse(body)).toEqual({ now: expect.any(Number), highest_ft: highest });
    expect((await api.app.inject('/v2/stats/highest?x=1')).statusCode).toBe(400);
  } finally {
    await api.app.close();
  }
  const vitest = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(folder, 'node_modules/vitest/vitest.mjs'), 'run', ...args], { cwd: folder });
  await vitest('query-api/http/contract/contract.test.ts', 'schemas/avro', 'pipeline/decode', '-u');
  expect(readFileSync(join(folder, 'schemas/api/openapi.json'), 'utf8')).toContain('"/v2/stats/highest"');
});

test('a topic and its stage: each landing becomes one note, also after a restart', async () => {
  const { asyncApiDocument } = await copied<typeof import('../support/asyncapi.ts')>('test/support/asyncapi.ts');
  expect(JSON.stringify(asyncApiDocument('1'))).toContain('What the operator notes about receivers.');
  const { openData } = await copied<typeof import('../../pipeline/log/open-data.ts')>('pipeline/log/open-data.ts');
  const stage = await copied<{ startLandingNotes(log: EventLog, codecs: Codecs): Promise<GroupMember> }>(
    'pipeline/flights/landing-notes.ts',
  );
  const { log, codecs } = await openData(join(folder, 'stage-data'), 'write');
  const { endedMs, ...row } = handFlight(0x4ca7b5, '2026-11-20T10:00Z', '2026-11-20T11:00Z', { end: 'parked', landingAirport: 'EGLL' });
  const flight = { ...row, hex: '4ca7b5', aircraftOffset: 1, endedMs, landingMs: endedMs } as EndedFlight;
  const notes = async (count: number): Promise<number> => {
    const member = await stage.startLandingNotes(log, codecs);
    await vi.waitFor(async () => expect((await log.bounds('notes' as 'feeders', 0)).next).toBeGreaterThanOrEqual(count), 10_000);
    await member.leave();
    return (await log.bounds('notes' as 'feeders', 0)).next;
  };
  const land = (partition: number): Promise<number> =>
    log.append('flightsEnded', partition, [{ key: flight.hex, value: codecs.EndedFlight.encode(flight), timestampMs: 7 }]);
  await land(0);
  await log.append('flightsEnded', 0, [{ key: 'x', value: codecs.EndedFlight.encode({ ...flight, landingMs: null }), timestampMs: 7 }]);
  expect(await notes(1)).toBe(1);
  await land(1);
  expect(await notes(2)).toBe(2);
  await log.close();
});

test('a build is left out only when it would change nothing', () => {
  const module = join(folder, 'dist/modules/schemas/limits/index.js');
  const isWritten = (): boolean => {
    const before = statSync(module, { throwIfNoEntry: false })?.mtimeMs;
    build();
    return statSync(module).mtimeMs !== before;
  };
  build();
  expect(isWritten()).toBe(false);
  appendFileSync(join(folder, 'schemas/limits/index.ts'), 'export const ADDED = 4711;\n');
  expect(isWritten()).toBe(true);
  expect(readFileSync(module, 'utf8')).toContain('4711');
  rmSync(module);
  expect([isWritten(), isWritten()]).toEqual([true, false]);
});
