// Files that readsb's web maps and their companions read besides aircraft.json: `/data/history_N.json`, `/data/stats.json`, `/data/outline.json`.

import { gunzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { sourceKinds } from '../../../schemas/avro/aircraft-state.ts';
import { SquitterError } from '../../../schemas/errors.ts';
import { freshSnapshot } from '../../queries/freshness.ts';
import { outlineFile, statisticsFile } from '../../queries/maps/figures.ts';
import type { ApiContext } from '../context.ts';
import { sendMade, sendReady } from '../response.ts';
import { mayBeUnknown } from '../schemas/build.ts';

const historySchema = {
  summary: 'Past positions of aircraft, which web maps load at their start',
  description:
    'One of the files that `receiver.json` counts: a snapshot with the members that a track needs, one in 30 s, of the last hour. The memory of this process begins with it. Order files by their `now`: numbers move up when the oldest goes.',
  params: {
    type: 'object',
    properties: { number: { type: 'integer', minimum: 0, description: 'number of the file, from 0', examples: [0] } },
    required: ['number'],
  },
  response: {
    200: {
      type: 'object',
      required: ['now', 'messages', 'aircraft'],
      properties: {
        now: { type: 'number', description: 'time of the snapshot, Unix s, 3 decimals' },
        messages: {
          type: 'integer',
          format: 'int64',
          minimum: 0,
          description: 'messages that changed a state since the log began, without duplicates from other receivers',
        },
        aircraft: {
          type: 'array',
          description: 'aircraft with a position; members as in aircraft.json, some of them',
          items: {
            type: 'object',
            required: ['hex'],
            properties: { hex: { type: 'string', description: 'ICAO 24-bit address' } },
            additionalProperties: true,
          },
        },
      },
    },
    ...mayBeUnknown,
  },
};

const periodSchema = {
  type: 'object',
  description: 'one period',
  required: ['start', 'end', 'messages'],
  properties: {
    start: { type: 'number', description: 'Unix s' },
    end: { type: 'number', description: 'Unix s' },
    messages: { type: 'integer', format: 'int64', minimum: 0, description: 'messages that changed a state between them' },
  },
};

const count = (description: string) => ({ type: 'integer', minimum: 0, description });

const statsSchema = {
  summary: 'Numbers of messages and aircraft, in the format of readsb',
  description:
    'Periods end at whole minutes; `latest` is the time since, `total` begins with this process. Figures of readsb about its radio are missing: this service has none.',
  response: {
    200: {
      type: 'object',
      required: ['now', 'aircraft_with_pos', 'aircraft_without_pos', 'aircraft_count_by_type'],
      properties: {
        now: { type: 'number', description: 'time of the snapshot, Unix s' },
        aircraft_with_pos: count('aircraft with a position'),
        aircraft_without_pos: count('other aircraft'),
        aircraft_count_by_type: {
          type: 'object',
          description: 'aircraft by kind of source',
          required: [...sourceKinds],
          properties: Object.fromEntries(sourceKinds.map((kind) => [kind, count(`aircraft of the kind ${kind}`)])),
        },
        ...Object.fromEntries(['latest', 'last1min', 'last5min', 'last15min', 'total'].map((name) => [name, periodSchema])),
      },
    },
  },
};

const outlineSchema = {
  summary: 'Range of reception in each direction',
  description: 'Measured over the last 24 hours. Empty unless the operator publishes the position of the receiver.',
  response: {
    200: {
      type: 'object',
      required: ['actualRange'],
      properties: {
        actualRange: {
          type: 'object',
          description: 'by period',
          required: ['last24h'],
          properties: {
            last24h: {
              type: 'object',
              description: 'the last 24 hours',
              required: ['points'],
              properties: {
                points: {
                  type: 'array',
                  description: 'latitude, longitude and altitude in ft of the farthest position of each degree, clockwise from the north',
                  items: { type: 'array', items: { type: 'number' }, minItems: 3, maxItems: 3 },
                },
              },
            },
          },
        },
      },
    },
  },
};

export function mapFileRoutes(app: FastifyInstance, context: ApiContext): void {
  const { maps } = context;
  app.get<{ Params: { number: number } }>('/data/history_:number.json', { schema: historySchema }, (request, reply) => {
    const snapshot = freshSnapshot(context);
    const file = maps.history.file(request.params.number);
    if (file === undefined) throw new SquitterError('api.not_found', { path: `history file ${request.params.number}` });
    const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    if (takesGzip) return sendReady(context, request, reply, snapshot, { body: file, encoding: 'gzip', contentType: undefined }, []);
    return sendMade(context, request, reply, { snapshot, make: () => gunzipSync(file) });
  });
  app.get('/data/stats.json', { schema: statsSchema }, (request, reply) => {
    const snapshot = freshSnapshot(context);
    const body = statisticsFile(maps, snapshot);
    return sendMade(context, request, reply, { snapshot, make: () => `${JSON.stringify(body)}\n` });
  });
  app.get('/data/outline.json', { schema: outlineSchema }, (request, reply) => {
    const body = outlineFile(maps);
    const snapshot = freshSnapshot(context);
    return sendMade(context, request, reply, { snapshot, make: () => `${JSON.stringify(body)}\n` });
  });
}
