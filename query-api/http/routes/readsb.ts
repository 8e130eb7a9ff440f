// Files that readsb's web maps read: `/data/aircraft.json`, `/data/receiver.json` and the queries of `/re-api/`. Maps add cache-breaking parameters.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { freshSnapshot } from '../../queries/freshness.ts';
import { receiverFile } from '../../queries/maps/figures.ts';
import { type ReadsbQuery, readsbSelection } from '../../queries/readsb-query.ts';
import type { ApiContext } from '../context.ts';
import { compatForm, reApiForm } from '../list-forms.ts';
import { sendMade, sendWhole } from '../response.ts';
import { compatEnvelopeSchema, readsbEnvelopeSchema } from '../schemas/envelope.ts';
import { sendList } from '../send-list.ts';
import { mapFileRoutes } from './map-files.ts';

const aircraftSchema = {
  summary: 'All aircraft, in the format of readsb',
  description: 'The file that web maps read each second. Query parameters are ignored, because maps add cache breakers.',
  response: { 200: readsbEnvelopeSchema },
};

const receiverSchema = {
  summary: 'Settings that web maps read at their start',
  description: 'How often maps read `aircraft.json`, and how much history they may load, and which views they offer.',
  response: {
    200: {
      type: 'object',
      required: ['version', 'refresh', 'history', 'haveTraces'],
      properties: {
        version: { type: 'string', description: 'name of this service' },
        refresh: { type: 'integer', description: 'ms between two reads of aircraft.json' },
        history: { type: 'integer', minimum: 0, description: 'number of history files: one in 30 s, of the last hour' },
        haveTraces: { type: 'boolean', const: true, description: 'there are trace files' },
        haveReplay: { type: 'boolean', const: true, description: 'there are files of the past to replay; absent without a history' },
        lat: { type: 'number', description: 'position of the receiver, degrees; only if its operator publishes it' },
        lon: { type: 'number', description: 'position of the receiver, degrees; only if its operator publishes it' },
        outlineJson: { type: 'boolean', const: true, description: 'present if there is an `outline.json`' },
      },
    },
  },
};

const text = (description: string, example: string) => ({ type: 'string', description, examples: [example] });
const flag = (description: string) => text(`${description}; needs no value`, '');

const reApiSchema = {
  summary: 'Queries in the form of readsb',
  description:
    'One of `all`, `all_with_pos`, `box`, `circle`, `closest`, `hexlist` or a `find_…`; in addition any `filter_…` and an altitude. `jv2` selects the envelope of aggregators. The binary format `binCraft` is not offered. An unknown `filter_…` or `find_…` is an error; other unknown parameters are ignored, because maps add cache breakers.',
  querystring: {
    type: 'object',
    properties: {
      all: flag('all aircraft'),
      all_with_pos: flag('all with a valid position'),
      box: text('aircraft in a box: south, north, west, east in degrees', '51,53,3,7'),
      circle: text('aircraft in a circle: latitude, longitude in degrees, radius in nm', '52.3,4.76,100'),
      closest: text('the nearest aircraft: latitude, longitude in degrees, radius in nm', '52.3,4.76,100'),
      find_hex: text('ICAO 24-bit addresses, separated by commas', '4840d6,4ca7b5'),
      hexlist: text('the same as find_hex', '4840d6,4ca7b5'),
      find_callsign: text('call signs, separated by commas', 'KLM1023'),
      find_reg: text('registrations, separated by commas', 'PH-BXA'),
      find_type: text('ICAO type designators, separated by commas', 'B738,A320'),
      find_squawk: text('squawks of four octal digits, separated by commas', '7700'),
      filter_squawk: text('only these squawks, separated by commas', '1000'),
      filter_type: text('only these ICAO type designators, separated by commas', 'B738,A320'),
      filter_callsign_exact: text('only this call sign', 'KLM1023'),
      filter_callsign_prefix: text('only call signs with this prefix', 'KLM'),
      filter_mil: flag('only military aircraft; several filters by flag are combined with or'),
      filter_interesting: flag('only interesting aircraft'),
      filter_pia: flag('only aircraft with a privacy address'),
      filter_ladd: flag('only aircraft on the LADD list'),
      filter_with_pos: flag('only aircraft with a valid position'),
      above_alt_baro: text('lowest barometric altitude, ft', '10000'),
      below_alt_baro: text('highest barometric altitude, ft', '40000'),
      jv2: flag("the aggregators' envelope"),
      json: flag('JSON, which is also the default'),
    },
  },
  response: { 200: { anyOf: [readsbEnvelopeSchema, compatEnvelopeSchema] } },
};

const reApiNames = Object.keys(reApiSchema.querystring.properties);

export function readsbRoutes(app: FastifyInstance, context: ApiContext): void {
  app.get('/data/aircraft.json', { schema: aircraftSchema }, (request, reply) => sendWhole(context, 'readsb', request, reply));
  app.get('/data/receiver.json', { schema: receiverSchema }, (request, reply) => {
    const body = receiverFile(context.maps, context.history.isKept);
    const snapshot = freshSnapshot(context);
    return sendMade(context, request, reply, { snapshot, make: () => `${JSON.stringify(body)}\n` });
  });
  mapFileRoutes(app, context);
  app.get('/re-api/', { schema: reApiSchema }, (request: FastifyRequest, reply) => {
    const query = request.query as ReadsbQuery;
    const { select, list } = readsbSelection(query, reApiNames);
    return sendList(context, request, reply, { form: 'jv2' in query ? compatForm : reApiForm, query: list, select });
  });
}
