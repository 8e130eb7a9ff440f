// The .proto file: its lint, the numbers of the specification, no breaking change against a released version, and generated code that is not stale.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScalarType } from '@bufbuild/protobuf';
import { afterAll, describe, expect, it } from 'vitest';
import { projectDir, requirement } from '../../test/support/requirements.ts';
import { AircraftService, file_v1_aircraft } from './v1/aircraft_pb.ts';

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
    ['a field with another type', 'optional double track = 11', 'optional float track = 11', 'changed type from "double" to "float"'],
    ['a field with another name', 'string squawk = 12', 'string code = 12', 'changed name from "squawk" to "code"'],
    ['a number without presence', 'optional int32 alt_baro', 'int32 alt_baro', 'cardinality'],
    ['a removed operation', /\s+\/\/ The number of aircraft[^}]+\}\n/, '\n', 'Previously present RPC "NetworkStats"'],
    ['an operation with side effects', /\{\s+option idempotency_level = NO_SIDE_EFFECTS;\s+\}/, '{}', 'changed option "idempotency_level"'],
    ['another response', 'returns (AircraftList)', 'returns (Aircraft)', 'response type'],
    ['a message with another name', /NetworkStatsResponse/g, 'NetworkTotals', 'Previously present message "NetworkStatsResponse"'],
    ['another package', 'package v1;', 'package v2;', 'package'],
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

describe('the specification', () => {
  // From the interface specification, "Record-oriented service".
  const specified = {
    GetAircraftRequest: 'hex string 1',
    NearbyAircraftRequest: 'lat double 1; lon double 2; radius_nm double 3; limit int32 4',
    NetworkStatsRequest: '',
    Aircraft:
      'hex string 1; flight string 2; registration string 3; aircraft_type string 4; lat double 5; lon double 6; alt_baro int32 7; ' +
      'on_ground bool 8; alt_geom double 9; ground_speed double 10; track double 11; squawk string 12; emergency string 13; ' +
      'category string 14; route_origin string 15; route_destination string 16; seen_seconds double 17; distance_nm double 18',
    AircraftList: 'aircraft repeated Aircraft 1; total int32 2; source_time double 3',
    NetworkStatsResponse: 'aircraft_total int32 1; source_time double 2; served_at double 3',
  };

  it.each(Object.entries(specified))('has the fields of %s', (name, fields) => {
    const { fields: ours } = file_v1_aircraft.messages.find((message) => message.name === name)!;
    const shown = ours.map((field) => {
      const type = field.fieldKind === 'scalar' ? ScalarType[field.scalar].toLowerCase() : '';
      return `${field.name} ${field.fieldKind === 'list' ? `repeated ${field.message?.name}` : type} ${field.number}`;
    });
    expect(shown.join('; ')).toBe(fields);
  });

  it('has its operations, without side effects', () => {
    expect(AircraftService.typeName).toBe('v1.AircraftService');
    const shown = AircraftService.methods.map(({ name, input, output, methodKind, idempotency }) => [
      ...[name, input.name, output.name, methodKind, idempotency],
    ]);
    const NO_SIDE_EFFECTS = 1;
    expect(shown).toEqual([
      ['GetAircraft', 'GetAircraftRequest', 'Aircraft', 'unary', NO_SIDE_EFFECTS],
      ['NearbyAircraft', 'NearbyAircraftRequest', 'AircraftList', 'unary', NO_SIDE_EFFECTS],
      ['NetworkStats', 'NetworkStatsRequest', 'NetworkStatsResponse', 'unary', NO_SIDE_EFFECTS],
      // Additive.
      ['WatchAircraft', 'WatchAircraftRequest', 'WatchAircraftResponse', 'server_streaming', 0],
    ]);
  });
});
