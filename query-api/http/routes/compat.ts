// `/compat/v2/…`: the aggregators' v2 API, for existing clients. Records as in readsb, times in ms, every path also with a trailing slash.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ListedText } from '../../../pipeline/view/listing.ts';
import { inCircle } from '../../../pipeline/view/search.ts';
import { listItems, listQueryProperties } from '../../queries/list-filters.ts';
import {
  byHex,
  bySquawk,
  byText,
  circleOf,
  everyAircraft,
  nearest,
  parseHexes,
  parseSquawks,
  type Select,
  withFlags,
} from '../../queries/selections.ts';
import { anyList, hexList, squawkList, type TextForm } from '../../queries/text-forms.ts';
import type { ApiContext } from '../context.ts';
import { compatForm } from '../list-forms.ts';
import { compatEnvelopeSchema } from '../schemas/envelope.ts';
import { aircraftRadius, latitude, listInPath, longitude } from '../schemas/parameters.ts';
import { type AircraftList, sendList } from '../send-list.ts';

const PREFIX = '/compat/v2';

const querystring = { type: 'object', properties: listQueryProperties, additionalProperties: false };
const response = { 200: compatEnvelopeSchema };
const description = 'For clients of the aggregators: records as readsb has them, times in ms, `msg`. A trailing slash is tolerated.';
const circle = {
  type: 'object',
  properties: { lat: latitude, lon: longitude, nm: aircraftRadius },
  required: ['lat', 'lon', 'nm'],
};

interface CircleRoute {
  Params: { lat: number; lon: number; nm: number };
}

export function compatRoutes(app: FastifyInstance, context: ApiContext): void {
  const respond: Respond = (request, reply, select, more = {}) => sendList(context, request, reply, { form: compatForm, select, ...more });
  flagRoutes(app, respond);
  textRoutes(app, respond);
  const summary = 'Aircraft within a radius, in the format of aggregators';
  for (const path of ['/point/:lat/:lon/:nm', '/lat/:lat/lon/:lon/dist/:nm'])
    app.get<CircleRoute>(
      `${PREFIX}${path}`,
      { schema: { summary, description, params: circle, querystring, response } },
      (request, reply) => {
        const { lat, lon, nm } = request.params;
        const circle = circleOf(lat, lon, nm);
        const more = { echo: { radius_nm: circle.radiusNm }, near: circle };
        return respond(request, reply, ({ listing }, isWanted) => inCircle(listing, circle, isWanted), more);
      },
    );
  const closest = { summary: 'The nearest aircraft, in the format of aggregators', description, params: circle, querystring, response };
  app.get<CircleRoute>(`${PREFIX}/closest/:lat/:lon/:nm`, { schema: closest }, (request, reply) => {
    const { lat, lon, nm } = request.params;
    const circle = circleOf(lat, lon, nm);
    return respond(request, reply, ({ listing }, isWanted) => nearest(listing, circle, 1, isWanted), { near: circle });
  });
}

type Respond = (
  request: FastifyRequest,
  reply: FastifyReply,
  select: Select,
  more?: Pick<AircraftList, 'echo' | 'near'>,
) => void | Promise<void>;

/** `/all`, and aircraft with a bit of `dbFlags`. */
function flagRoutes(app: FastifyInstance, respond: Respond): void {
  const flags: Readonly<Record<string, number>> = { mil: 1, pia: 4, ladd: 8 };
  for (const [name, bit] of Object.entries(flags)) {
    const schema = { summary: `Aircraft with the flag ${name}, in the format of aggregators`, description, querystring, response };
    app.get(`${PREFIX}/${name}`, { schema }, (request, reply) =>
      respond(request, reply, ({ listing }, isWanted) => withFlags(listing, bit, isWanted)),
    );
  }
  app.get(
    `${PREFIX}/all`,
    { schema: { summary: 'All aircraft, in the format of aggregators', description, querystring, response } },
    (request, reply) => respond(request, reply, everyAircraft),
  );
}

function textRoutes(app: FastifyInstance, respond: Respond): void {
  const texts: readonly [names: readonly string[], text: ListedText, what: string, example: string][] = [
    [['reg', 'registration'], 'registration', 'registration', 'PH-BXA'],
    [['type'], 'typeDesignator', 'ICAO type designator', 'B738'],
    [['callsign'], 'flight', 'call sign', 'KLM1023'],
  ];
  const params = (form: TextForm, what: string, example: string) => ({
    type: 'object',
    properties: { item: listInPath(form, what, example) },
    required: ['item'],
  });
  for (const [names, text, what, example] of texts)
    for (const name of names) {
      const schema = {
        summary: `Aircraft by ${what}, in the format of aggregators`,
        description,
        params: params(anyList, what, example),
        querystring,
        response,
      };
      app.get<{ Params: { item: string } }>(`${PREFIX}/${name}/:item`, { schema }, (request, reply) => {
        const wanted = listItems(request.params.item);
        return respond(request, reply, ({ listing }, isWanted) => byText(listing, text, wanted, isWanted));
      });
    }
  for (const name of ['hex', 'icao']) {
    const schema = {
      summary: 'Aircraft by hex, in the format of aggregators',
      description,
      params: params(hexList, 'ICAO 24-bit address', '4840d6'),
      querystring,
      response,
    };
    app.get<{ Params: { item: string } }>(`${PREFIX}/${name}/:item`, { schema }, (request, reply) => {
      const keys = parseHexes(request.params.item);
      return respond(request, reply, (snapshot, isWanted) => byHex(snapshot, keys, isWanted));
    });
  }
  for (const name of ['squawk', 'sqk']) {
    const schema = {
      summary: 'Aircraft with a squawk, in the format of aggregators',
      description,
      params: params(squawkList, 'four octal digits', '7700'),
      querystring,
      response,
    };
    app.get<{ Params: { item: string } }>(`${PREFIX}/${name}/:item`, { schema }, (request, reply) => {
      const codes = parseSquawks(request.params.item);
      return respond(request, reply, ({ listing }, isWanted) => bySquawk(listing, codes, isWanted));
    });
  }
}
