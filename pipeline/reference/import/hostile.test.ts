// Hostile files: any file is read to its end, every row is taken or refused, and the taken rows can be packed.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { unpackTable } from '../store/column-file.ts';
import { shippedTables } from '../tables.ts';
import { createGathering } from './gathering.ts';
import { readFile } from './read-file.ts';
import { InputReport } from './report.ts';

const headers = [
  'icao24,r,t,desc',
  '484506;PH-BQA;B772;00;BOEING 777-200;2003;KLM;',
  'ICAO,Registration,ModelICAO,Manufacturer,Model,ManufacturerAndModel,IsPrivateOperator,Operator,AirlineCode,SerialNumber,YearBuilt',
  'Code,Name,ICAO,IATA,Location,CountryISO2,Latitude,Longitude,AltitudeFeet',
  '"id","ident","type","name","latitude_deg","longitude_deg","elevation_ft","iso_country","municipality","iata_code","gps_code","local_code"',
  'Callsign,Code,Number,AirlineCode,AirportCodes',
  'Code,Name,ICAO,IATA,PositioningFlightPattern,CharterFlightPattern',
  'ICAO,Manufacturer,Model,Engines,EngineTypeCode,EnginePlacementCode,SpeciesCode,WakeTurbulenceCode,IsActive',
  'Start,Finish,Count,Bitmask,SignificantBitmask,IsMilitary,CountryISO2',
];
/** Cells that some format accepts, cells that none accepts, and cells that look like the end of one. */
const cell = fc.oneof(
  fc.constantFrom(
    '',
    '"a,b"',
    '\u0000',
    ...'484506 ffffff EHAM AMS KLM1 EHAM-KJFK 52.3 -180 1e999 NaN 0x10 "" " L2J 2003 __proto__'.split(' '),
  ),
  fc.string({ unit: 'binary' }),
);
const row = fc.array(cell, { maxLength: 12 }).map((cells) => cells.join(','));
const rows = fc.array(fc.oneof(row, row.map((text) => text.replaceAll(',', ';'))), { maxLength: 15 }); // biome-ignore format: short
const before = shippedTables();

async function* bytesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

async function read(bytes: Uint8Array): Promise<InputReport> {
  const gathering = createGathering(before);
  const report = new InputReport('hostile');
  await readFile({ path: '', bytes: bytesOf(bytes) }, gathering, report, () => {});
  for (const table of gathering.packed()) expect(unpackTable(table).rows).toBe(table.rows);
  expect(report.lines().length).toBeGreaterThan(1);
  return report;
}

it('takes or refuses every row of a known format', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...headers), rows, async (header, lines) => {
      const report = await read(Buffer.from([header, ...lines].join('\n')));
      expect(report.formats.size).toBe(1);
    }),
    { numRuns: 150 },
  );
});

it('leaves out unknown formats', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      const report = await read(bytes);
      expect(report.rows).toBe(0);
    }),
    { numRuns: 150 },
  );
});
