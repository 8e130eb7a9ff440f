// Files that readsb's web maps read: `/data/aircraft.json`, `/data/receiver.json` and the queries of `/re-api/`. Maps add cache-breaking parameters.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { freshSnapshot } from '../../queries/freshness.ts';
import { listQueryProperties } from '../../queries/list-filters.ts';
import { receiverFile } from '../../queries/maps/figures.ts';
import { boxForm, circleForm, type ReadsbQuery, readsbSelect } from '../../queries/readsb-query.ts';
import { anyList, hexList, squawkList, type TextForm } from '../../queries/text-forms.ts';
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

const value = (form: TextForm, description: string, example: string) => ({ ...form, description, examples: [example] });
const list = (form: TextForm, description: string, example: string) => value(form, `${description}, separated by commas`, example);
const flag = (description: string) => ({ type: 'string', description: `${description}; needs no value`, examples: [''] });

const reApiSchema = {
  summary: 'Queries in the form of readsb',
  description:
    'One of `box`, `circle`, `closest`, `hexlist` or a `find_…`, or else all aircraft; in addition any `filter_…` and an altitude. `jv2` selects the envelope of aggregators. The binary format `binCraft` is not offered.',
  querystring: {
    type: 'object',
    properties: {
      all: flag('all aircraft, which is also the default'),
      all_with_pos: flag('all with a valid position'),
      box: value(boxForm, 'aircraft in a box: south, north, west, east in degrees', '51,53,3,7'),
      circle: value(circleForm, 'aircraft in a circle: latitude, longitude in degrees, radius in nm', '52.3,4.76,100'),
      closest: value(circleForm, 'the nearest aircraft: latitude, longitude in degrees, radius in nm', '52.3,4.76,100'),
      find_hex: list(hexList, 'ICAO 24-bit addresses', '4840d6,4ca7b5'),
      hexlist: list(hexList, 'the same as find_hex', '4840d6,4ca7b5'),
      find_callsign: list(anyList, 'call signs', 'KLM1023'),
      find_reg: list(anyList, 'registrations', 'PH-BXA'),
      find_type: list(anyList, 'ICAO type designators', 'B738,A320'),
      find_squawk: list(squawkList, 'squawks of four octal digits', '7700'),
      filter_squawk: list(squawkList, 'only these squawks', '1000'),
      filter_type: list(anyList, 'only these ICAO type designators', 'B738,A320'),
      filter_callsign_exact: list(anyList, 'only these call signs', 'KLM1023,KLM1024'),
      filter_callsign_prefix: list(anyList, 'only call signs with one of these prefixes', 'KLM,DLH'),
      filter_mil: flag('only military aircraft; several filters by flag are combined with or'),
      filter_interesting: flag('only interesting aircraft'),
      filter_pia: flag('only aircraft with a privacy address'),
      filter_ladd: flag('only aircraft on the LADD list'),
      filter_with_pos: flag('only aircraft with a valid position'),
      above_alt_baro: { ...listQueryProperties.above_alt_baro, description: 'lowest barometric altitude, ft; on the ground counts as 0' },
      below_alt_baro: { ...listQueryProperties.below_alt_baro, description: 'highest barometric altitude, ft; on the ground counts as 0' },
      jv2: flag("the aggregators' envelope"),
      json: flag('JSON, which is also the default'),
      _: flag('ignored: maps add it with a number against caches'),
    },
    additionalProperties: false,
  },
  response: { 200: { anyOf: [readsbEnvelopeSchema, compatEnvelopeSchema] } },
};

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
    return sendList(context, request, reply, { form: 'jv2' in query ? compatForm : reApiForm, select: readsbSelect(query) });
  });
}
