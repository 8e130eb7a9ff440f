// Imports: every format, refusals with reasons, merging, and no change after a failed import.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../../schemas/limits/index.ts';
import { tarOf } from '../../../test/support/tar.ts';
import { type ProcessIdentity, thisProcess } from '../../runtime/process-identity.ts';
import { openReference } from '../open-reference.ts';
import type { Reference } from '../reference.ts';
import { commitManifest, withImportLock, writeTable } from '../store/folder.ts';
import { AircraftSet } from '../tables/aircraft.ts';
import { type ImportResult, importReference } from './import.ts';

const scratch = mkdtempSync(join(tmpdir(), 'squitter-import-'));
afterAll(() => rmSync(scratch, { recursive: true }));
let folder = '';
let count = 0;
beforeEach(() => {
  count += 1;
  folder = join(scratch, String(count));
});

function file(name: string, contents: string | Buffer): string {
  mkdirSync(scratch, { recursive: true });
  writeFileSync(join(scratch, name), contents);
  return join(scratch, name);
}

function importing(...paths: string[]): Promise<ImportResult> {
  return importReference({ folder, paths, clock: () => 1_790_000_000_000, signal: new AbortController().signal, onProgress() {} });
}

async function imported(): Promise<Reference> {
  const errors: unknown[] = [];
  const { reference, close } = await openReference({ folder, clock: () => 0, onError: (error) => errors.push(error) });
  await close();
  expect(errors).toEqual([]);
  return reference;
}

const PLAIN = 'icao24,r,t,desc\n484506,PH-BQA,B772,L2J\n48415f,PH-BXA,b738,\nxyz,A,B,C\n000000,A,B,C\n,,,\n';
const READSB =
  '484506;PH-BQB;B772;00;BOEING 777-200;2003;KLM;\nae1234;96-0001;C17;1011;BOEING C-17;1996;\n4840d7;PH-;;2;;;;\n~484507;;;;;;;\n';
const VRS_AIRPORTS =
  '\ufeffCode,Name,ICAO,IATA,Location,CountryISO2,Latitude,Longitude,AltitudeFeet\nEHAM,"Amsterdam ""Schiphol"", Airport",EHAM,AMS,Amsterdam,NL,52.308601,4.763890,-11\n' +
  'EHXX,Nowhere,EHXX,,,NL,north,4,0\nKJFK,Kennedy,KJFK,JFK,New York,US,40.639801,-73.778900,13\n';
const OURAIRPORTS =
  '"id","ident","type","name","latitude_deg","longitude_deg","elevation_ft","continent","iso_country","iso_region","municipality","scheduled_service","icao_code","iata_code","gps_code","local_code","home_link","wikipedia_link","keywords"\n' +
  '2513,"EHAM","large_airport","Amsterdam Airport Schiphol",52.3086,4.76389,-11,"EU","NL","NL-NH","Amsterdam","yes","EHAM","AMS","EHAM",,"http://x","http://y","a, b"\n' +
  '6523,"00A","heliport","Total RF Heliport",40.070985,-74.933689,11,"NA","US","US-PA","Bensalem","no",,,"K00A","00A",,,\n' +
  '1,"NL-0001","closed","Gone",52,4,,"EU","NL","NL-NH",,"no",,,,,,,\n';
const RUNWAYS =
  '"id","airport_ref","airport_ident","length_ft","width_ft","surface","lighted","closed","le_ident","le_latitude_deg","le_longitude_deg","le_elevation_ft","le_heading_degT","le_displaced_threshold_ft","he_ident","he_latitude_deg","he_longitude_deg","he_elevation_ft","he_heading_degT","he_displaced_threshold_ft"\n' +
  '1,2513,"EHAM",6608,148,"ASP",1,0,"04",52.3004,4.78348,,41,,"22",52.3139,4.80302,,221,\n' +
  '2,2513,"EHAM",6608,148,"ASP",1,1,"05",52.3004,4.78348,,41,,"23",52.3139,4.80302,,221,\n' +
  '3,6523,"00A",80,80,"ASPH-G",1,0,"H1",,,,,,,,,,,\n';
const ROUTES =
  'Callsign,Code,Number,AirlineCode,AirportCodes\nKLM641,KLM,641,KLM,EHAM-KJFK\nKLM1,KLM,1,KLM,EHAM\nKLM 2,KLM,2,KLM,EHAM-KJFK\nKLM3,KLM,3,KLM,EHAM-ZZZZ\n';
const AIRLINES =
  'Code,Name,ICAO,IATA,PositioningFlightPattern,CharterFlightPattern\nKLM,KLM Royal Dutch Airlines,KLM,KL,,\n1B,Abacus,,1B,,\nQQX,Quux,QQX,9Y,,\n';
const TYPES =
  'ICAO,Manufacturer,Model,Engines,EngineTypeCode,EnginePlacementCode,SpeciesCode,WakeTurbulenceCode,IsActive\n-GND,-,Vehicle,,,,,,1\nZZ1Q,Other,One,1,P,,L,L,1\nZZ1Q,Quux,Two,1,P,,L,L,1\nZZ1Q,Quux,Three,1,P,,L,L,1\n';
const BLOCKS =
  'Start,Finish,Count,Bitmask,SignificantBitmask,IsMilitary,CountryISO2\n000000,7FFFFF,8388608,000000,800000,0,ZZ\n43EA00,43EAFF,256,43EA00,FFFF00,0,IM\n484400,4844FF,256,,,1,NL\n48,1,,,,,\n';
const VRS_AIRCRAFT =
  'ICAO,Registration,ModelICAO,Manufacturer,Model,ManufacturerAndModel,IsPrivateOperator,Operator,AirlineCode,SerialNumber,YearBuilt\n3C20CE,D-BPHX,E545,Embraer,Praetor 500,Embraer Praetor 500,1,Private,,55010164,2025\n4CA001,EI-GND,-GND,,,,0,Dublin Airport,,,\n';

describe('an import', () => {
  it('of runways replaces those before, without closed ones and those without ends', async () => {
    for (let i = 0; i < 2; i += 1) {
      const { reports } = await importing(file('runways.csv', RUNWAYS));
      expect(reports[0]!.lines().join()).toContain('runways (OurAirports): 1 rows taken');
    }
    const ends = { fromLatDeg: 52.3004, fromLonDeg: 4.783_48, toLatDeg: 52.3139, toLonDeg: 4.803_02 };
    expect([...(await imported()).runways()]).toEqual([{ airport: 'EHAM', name: '04/22', widthFt: 148, ...ends }]);
  });

  it("of aircraft gives their facts; that of readsb's aircraft.csv.gz adds flags, year and owner", async () => {
    const { reports } = await importing(file('plain.csv', PLAIN), file('vrs-aircraft.csv', VRS_AIRCRAFT));
    const [klm, praetor] = [
      { typeDesignator: 'B772', description: 'BOEING 777-200', dbFlags: 0 },
      { typeDesignator: 'E545', dbFlags: 0 },
    ];
    const reference = await imported();
    expect(reference.facts(0x48_4506)).toEqual({ registration: 'PH-BQA', ...klm });
    expect(reference.facts(0x48_415f)).toMatchObject({ typeDesignator: 'B738' });
    expect(reference.facts(0x3c_20ce)).toEqual({ registration: 'D-BPHX', description: 'Embraer Praetor 500', year: '2025', ...praetor });
    expect(reference.facts(0x4c_a001)).toEqual({ registration: 'EI-GND', operator: 'Dublin Airport', dbFlags: 0 });
    expect(reports[0]!.lines()).toEqual([
      join(scratch, 'plain.csv'),
      '  aircraft (icao24,r,t,desc): 2 rows taken',
      '    3 refused: not a 24-bit address (line 4, line 5, line 6)',
    ]);
    await importing(file('aircraft.csv.gz', gzipSync(READSB)));
    const merged = await imported();
    expect(merged.facts(0x48_4506)).toEqual({ registration: 'PH-BQB', year: '2003', operator: 'KLM', ...klm });
    expect(merged.facts(0x48_415f)).toMatchObject({ registration: 'PH-BXA' });
    expect(merged.facts(0xae_1234)).toMatchObject({ registration: '96-0001', dbFlags: 0b1101 });
    expect(merged.facts(0x48_40d7)).toBeNull();
  });

  it('of a folder, an archive and a compressed archive gives the same', async () => {
    const files: [string, string][] = [
      ['airports/E/EH.csv', VRS_AIRPORTS],
      ['routes/K/KLM-all.csv', ROUTES],
      ['airlines/airlines.csv', AIRLINES],
      ['types/Z.csv', TYPES],
      ['blocks.csv', BLOCKS],
      ['README.md', '# Standing data'],
      ['countries.csv', 'ISO,Name\nNL,Netherlands\n'],
      ['empty.csv', ''],
    ];
    for (const [path, text] of files) {
      mkdirSync(join(scratch, 'standing', path, '..'), { recursive: true });
      writeFileSync(join(scratch, 'standing', path), text);
    }
    const archive = tarOf(files);
    const inputs = [join(scratch, 'standing'), file('standing.tar', archive), file('standing.tar.gz', gzipSync(archive))];
    const tables: ImportResult['tables'][] = [];
    for (const input of inputs) {
      folder = join(scratch, `same-${tables.length}`);
      const result = await importing(input);
      tables.push(result.tables);
      expect(result.reports[0]!.rows).toBe(12);
      const lines = result.reports[0]!.lines().join('\n');
      expect(lines).toContain('1 refused: not a number (airports/E/EH.csv:3)');
      expect(lines).toContain('1 refused: fewer than two airports (routes/K/KLM-all.csv:3)');
      expect(lines).toContain('1 refused: not a call sign (routes/K/KLM-all.csv:4)');
      expect(lines).toContain('1 file left out: no known format (README.md)');
      expect(lines).toContain('1 file left out: empty (empty.csv)');
      expect(lines).toContain('countries (VRS): the names of countries are built in (countries.csv)');
    }
    expect(tables[1]).toEqual(tables[0]);
    expect(tables[2]).toEqual(tables[0]);
    const reference = await imported();
    expect(reference.airport('eham')).toMatchObject({ iata: 'AMS', name: 'Amsterdam "Schiphol", Airport', elevationFt: -11 });
    expect(reference.airport('JFK')).toMatchObject({ icao: 'KJFK' });
    expect(reference.route('KLM641  ')?.map(({ icao }) => icao)).toEqual(['EHAM', 'KJFK']);
    // An unknown airport.
    expect(reference.route('KLM3')).toBeUndefined();
    // Values that a file does not contain stay.
    const name = 'KLM Royal Dutch Airlines';
    expect(reference.operator('KLM')).toEqual({ icao: 'KLM', iata: 'KL', name, callsign: 'KLM', country: 'NL' });
    expect(reference.operator('9y')).toEqual({ icao: 'QQX', iata: '9Y', name: 'Quux' });
    expect(reference.type('zz1q')).toEqual({ designator: 'ZZ1Q', description: 'QUUX Two', category: 'A1' });
    expect(reference.country(0x43_ea01)).toEqual({ code: 'IM', name: 'Isle of Man' });
    expect(reference.country(0x43_e901)).toEqual({ code: 'GB', name: 'United Kingdom' });
    expect(reference.facts(0x48_4410)).toEqual({ dbFlags: 1 });
  });

  it("of OurAirports' airports merges with those of VRS", async () => {
    await importing(file('vrs.csv', VRS_AIRPORTS));
    const { reports } = await importing(file('airports.csv', OURAIRPORTS));
    const reference = await imported();
    expect(reference.airport('EHAM')).toMatchObject({ name: 'Amsterdam Airport Schiphol', type: 'large_airport', country: 'NL' });
    const position = { latDeg: 40.070985, lonDeg: -74.933689, elevationFt: 11 };
    const heliport = { local: '00A', name: 'Total RF Heliport', city: 'Bensalem', country: 'US', type: 'heliport', ...position };
    expect(reference.airport('00a')).toEqual(heliport);
    expect(reference.airport('KJFK')).toBeDefined();
    expect(reports[0]!.lines()).toContain('    1 refused: no code (line 4)');
  });

  it('takes rows of several lines and reports broken rows by line', async () => {
    const long = 'x'.repeat(limits.referenceTextCharactersMax + 1);
    const text = `icao24,r,t,desc\n484506,"PH-\nBQA",B772,\n484507,${long},,\n484508\n${'y'.repeat(70_000)}\n484509,PH-AAA,,\n48450a,"open,,\n`;
    const { reports } = await importing(file('rows.csv', text));
    expect(reports[0]!.lines().slice(1)).toEqual([
      '  aircraft (icao24,r,t,desc): 2 rows taken',
      `    1 refused: a text over ${limits.referenceTextCharactersMax} characters (line 4)`,
      '    1 refused: another number of columns (line 5)',
      `    1 refused: a line over ${limits.referenceLineBytesMax} bytes (line 6)`,
      '    1 refused: an unclosed quote (line 8)',
    ]);
    expect((await imported()).facts(0x48_4506)).toMatchObject({ registration: 'PH-\nBQA' });
  });
});

describe('nothing changes', () => {
  const given = async (): Promise<string[]> => {
    await importing(file('plain.csv', PLAIN));
    return contents();
  };
  const contents = (): string[] =>
    readdirSync(folder)
      .sort()
      .map((name) => `${name} ${readFileSync(join(folder, name)).toString('base64')}`);

  it.each([
    ['a file of no known format', 'reference.unknown_format', 'a,b,c\n1,2,3\n'],
    ['a file without a row that can be taken', 'reference.nothing_taken', 'icao24,r,t,desc\nxyz,,,\n'],
    ['an archive that is cut off', 'input.unreadable', tarOf([['a.csv', PLAIN.repeat(20)]]).subarray(0, 1024)],
    ['packed bytes that are cut off', 'input.unreadable', gzipSync(READSB.repeat(1000)).subarray(0, 100)],
  ])('by %s', async (_, code, bytes) => {
    const was = await given();
    await expect(importing(file('good.csv', READSB), file('bad.csv', bytes))).rejects.toMatchObject({ code });
    expect(contents()).toEqual(was);
  });

  it('by an import that is stopped', async () => {
    const was = await given();
    const stop = new AbortController();
    const stopped = importReference({
      folder,
      paths: [file('aircraft.csv', READSB)],
      clock: () => 0,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
    expect(contents()).toEqual(was);
  });

  it('by a crash before the manifest is renamed; the next import cleans up', async () => {
    await given();
    const set = new AircraftSet();
    set.put(0x48_4506, { registration: 'PH-NEW' });
    await writeTable(folder, set.pack());
    writeFileSync(join(folder, 'manifest.json.part'), '{"version":1,');
    writeFileSync(join(folder, 'import.lock'), '999999999');
    expect((await imported()).facts(0x48_4506)).toMatchObject({ registration: 'PH-BQA' });
    await importing(file('aircraft.csv', READSB));
    expect((await imported()).facts(0x48_4506)).toMatchObject({ registration: 'PH-BQB' });
    expect(readdirSync(folder)).toHaveLength(2);
  });

  // The parent of this process runs.
  it.each<[string, Partial<ProcessIdentity> | string, boolean]>([
    ['while another process imports', {}, true],
    ['but not by the lock of a process whose pid has another one now', { startedAt: '1' }, false],
    ['but not by the lock of another boot', { bootId: 'another' }, false],
    ['but not by a lock that says nothing', 'x', false],
  ])('%s', async (_, held, isRefused) => {
    mkdirSync(folder, { recursive: true });
    const parent = { ...thisProcess(), pid: process.ppid, startedAt: '' };
    writeFileSync(join(folder, 'import.lock'), typeof held === 'string' ? held : JSON.stringify({ ...parent, ...held }));
    const result = importing(file('plain.csv', PLAIN));
    if (isRefused) await expect(result).rejects.toMatchObject({ code: 'reference.in_use', retriable: true });
    else await result;
    expect(readdirSync(folder).some((name) => name.includes('lock'))).toBe(isRefused);
  });

  it('where two begin at once over the lock of a third that died: one works at a time', async () => {
    mkdirSync(folder, { recursive: true });
    let working = 0;
    let most = 0;
    for (let round = 0; round < 20; round += 1) {
      writeFileSync(join(folder, 'import.lock'), JSON.stringify({ ...thisProcess(), pid: process.ppid, startedAt: '1' }));
      const work = async (): Promise<void> => {
        working += 1;
        most = Math.max(most, working);
        await new Promise((resolve) => setTimeout(resolve, 5));
        working -= 1;
      };
      const outcomes = await Promise.allSettled([1, 2, 3].map(() => withImportLock(folder, work)));
      expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
    }
    expect(most).toBe(1);
  });

  it('for a missing file, or where the folder cannot be written', async () => {
    await expect(importing(join(scratch, 'missing.csv'))).rejects.toMatchObject({ code: 'input.unreadable' });
    folder = join(file('a-file', ''), 'folder');
    await expect(importing(file('plain.csv', PLAIN))).rejects.toMatchObject({ code: 'output.not_writable' });
  });
});

describe('a running service', () => {
  it('loads an import while in use, and keeps its data if files are damaged', async () => {
    await importing(file('plain.csv', PLAIN));
    const errors: unknown[] = [];
    const open = await openReference({ folder, clock: () => 0, pollMs: 5, onError: (error) => errors.push(error) });
    const { reference, stats } = open;
    const { version } = reference;
    expect(reference.facts(0x48_4506)?.registration).toBe('PH-BQA');
    await importing(file('aircraft.csv', READSB));
    while (reference.version === version) {
      // Complete before and after.
      expect(['PH-BQA', 'PH-BQB']).toContain(reference.facts(0x48_4506)?.registration);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(reference.facts(0x48_4506)?.registration).toBe('PH-BQB');
    expect(stats).toMatchObject({ loads: 2, failures: 0, rows: { aircraft: 3 } });
    writeFileSync(join(folder, 'aircraft-damaged.table'), 'SQUITREF');
    await commitManifest(folder, { aircraft: { file: 'aircraft-damaged.table', rows: 1 } }, 1);
    while (errors.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ code: 'reference.damaged' });
    expect(reference.facts(0x48_4506)?.registration).toBe('PH-BQB');
    await open.close();
  });

  it('reports once that a folder cannot be read, and serves the shipped data', async () => {
    const errors: unknown[] = [];
    const within = join(file('no-folder', ''), 'reference');
    const open = await openReference({ folder: within, clock: () => 0, pollMs: 5, onError: (error) => errors.push(error) });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await open.close();
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ code: 'input.unreadable' });
    expect(open.reference.airport('AMS')?.icao).toBe('EHAM');
  });
});
