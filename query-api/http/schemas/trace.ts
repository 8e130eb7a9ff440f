// Trace files of readsb as JSON schemas, and the parameters in their addresses.
import { textForm } from '../../queries/text-forms.ts';
import { integer, number, object, text } from './build.ts';
import { oneHex } from './parameters.ts';

const part = (source: string, what: string, expected: string, example: string) => ({
  ...textForm(source, `expected ${expected}`),
  description: `${what}, ${expected}`,
  examples: [example],
});

export interface LastAndHex {
  readonly last: string;
  readonly hex: string;
}

export const traceParams = {
  last: part('[0-9a-fA-F]{2}', 'the end of the address', 'its last two digits', 'd6'),
  hex: oneHex,
};

export const dayParams = {
  year: part('(19[7-9]|2[01][0-9])[0-9]', 'year of the day in UTC', '1970 to 2199', '2026'),
  month: part('(0[1-9]|1[0-2])', 'month', '01 to 12', '11'),
  day: part('(0[1-9]|[12][0-9]|3[01])', 'day', '01 to 31', '22'),
};

export const halfHourParam = part('([0-3][0-9]|4[0-7])', 'half hour of the day', '00 to 47', '00');

export const traceSchema = object(
  {
    icao: text('ICAO 24-bit address; `~` before a non-ICAO address'),
    r: text('registration, from reference data'),
    t: text('ICAO type designator, from reference data'),
    desc: text('manufacturer and model, from reference data'),
    ownOp: text('owner or operator, from reference data'),
    year: text('year of manufacture, from reference data'),
    dbFlags: integer('sum of 1 (military), 2 (interesting), 4 (PIA) and 8 (LADD)'),
    noRegData: { type: 'boolean', const: true, description: 'reference data have nothing about this aircraft' },
    timestamp: number('Unix s; times of points count from it'),
    trace: {
      type: 'array',
      description:
        'points, the oldest first, each an array: s after `timestamp`; latitude and longitude in degrees; altitude in ft, `ground` or null; ground speed in kt; track in degrees; flags, a sum of 1 (nothing was heard for 20 s before), 2 (start of a leg), 4 (the vertical rate is geometric) and 8 (the altitude is geometric); vertical rate in ft/min; some members of the aircraft object, in some points only; kind of source; geometric altitude in ft; geometric rate in ft/min; indicated airspeed in kt; roll in degrees. Unknown values are null',
      items: { type: 'array', items: {} },
    },
  },
  ['icao', 'timestamp', 'trace'],
);
