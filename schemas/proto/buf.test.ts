// The .proto file: its lint, no breaking change against a released version, and generated code that is not stale.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { projectDir, requirement } from '../../test/support/requirements.ts';

const folder = import.meta.dirname;
const programs = join(projectDir, 'node_modules/.bin');
const scratch = mkdtempSync(join(tmpdir(), 'squitter-proto-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** Exit status and output of buf, which is a program for some platforms only. */
function buf(...words: string[]): { readonly status: number | null; readonly output: string } {
  const env = { ...process.env, PATH: `${programs}:${process.env['PATH']}`, BUF_CACHE_DIR: join(scratch, 'cache') };
  const { status, stdout, stderr } = spawnSync(join(programs, 'buf'), words, { cwd: folder, encoding: 'utf8', env });
  return { status, output: `${stdout ?? ''}${stderr ?? ''}` };
}
const { met, reason } = requirement(buf('--version').status === 0, 'skipped: @bufbuild/buf has no program for this platform');

const DONE = { status: 0, output: '' };
/** Status of buf when it found something. */
const FOUND = 100;
/** Every released version, never edited. A copy, because buf does not take a part of its own module as another one. */
const released = join(scratch, 'released');
cpSync(join(folder, 'released'), released, { recursive: true });
const proto = readFileSync(join(folder, 'v1/aircraft.proto'), 'utf8');

/** What buf says of a changed file against the released versions. */
function verdict(change: (text: string) => string): string {
  const changed = mkdtempSync(join(scratch, 'changed-'));
  cpSync(join(folder, 'buf.yaml'), join(changed, 'buf.yaml'));
  cpSync(join(folder, 'v1'), join(changed, 'v1'), { recursive: true });
  const text = change(proto);
  expect(text).not.toBe(proto);
  writeFileSync(join(changed, 'v1/aircraft.proto'), text);
  const { status, output } = buf('breaking', changed, '--against', join(released, readdirSync(released).at(-1)!));
  expect(status, output).toBe(output === '' ? 0 : FOUND);
  return output;
}

describe.skipIf(!met)(met ? 'aircraft.proto' : `aircraft.proto (${reason})`, () => {
  it('has no complaint of the linter, and its format', () => {
    expect(buf('lint')).toEqual(DONE);
    expect(buf('format', '--diff', '--exit-code')).toEqual(DONE);
  });

  it.each(readdirSync(released))('does not break version %s', (version) => {
    expect(buf('breaking', '--against', join(released, version))).toEqual(DONE);
  });

  it.each<[what: string, from: string | RegExp, to: string, complaint: string]>([
    ['a removed field', /.*optional double alt_geom = 9;\n/, '', 'Previously present field "9" with name "alt_geom"'],
    ['a field with another number', 'alt_geom = 9;', 'alt_geom = 19;', 'Previously present field "9"'],
    ['a field with another name', 'string squawk = 12', 'string code = 12', 'changed name from "squawk" to "code"'],
    ['a number without presence', 'optional int32 alt_baro', 'int32 alt_baro', 'cardinality'],
    ['a removed operation', /\s+\/\/ The number of aircraft[^}]+\}\n/, '\n', 'Previously present RPC "NetworkStats"'],
  ])('%s is refused', (_, from, to, complaint) => {
    expect(verdict((text) => text.replace(from, to))).toContain(complaint);
  });

  it('a new field and a new operation are accepted', () => {
    const more = (text: string): string =>
      text
        .replace('distance_nm = 18;', 'distance_nm = 18;\n  string source = 19;')
        .replace('service AircraftService {', 'service AircraftService {\n  rpc Again(GetAircraftRequest) returns (Aircraft);');
    expect(verdict(more)).toBe('');
  });

  it('is what the TypeScript was generated from', () => {
    expect(buf('generate', '--output', scratch)).toEqual(DONE);
    for (const file of ['v1/aircraft_pb.ts', 'grpc/health/v1/health_pb.ts', 'grpc/reflection/v1/reflection_pb.ts'])
      expect(readFileSync(join(scratch, file), 'utf8')).toBe(readFileSync(join(folder, file), 'utf8'));
  });
});
