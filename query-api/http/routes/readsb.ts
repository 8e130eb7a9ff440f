// Files that readsb's web maps read: `/data/aircraft.json`, `/data/receiver.json` and the queries of `/re-api/`. Maps add cache-breaking parameters.

import type { FastifyInstance } from 'fastify';
import { freshSnapshot } from '../../queries/freshness.ts';
import { receiverFile } from '../../queries/maps/figures.ts';
import type { ApiContext } from '../context.ts';
import { sendMade, sendWhole } from '../response.ts';
import { readsbEnvelopeSchema } from '../schemas/envelope.ts';
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

export function readsbRoutes(app: FastifyInstance, context: ApiContext): void {
  app.get('/data/aircraft.json', { schema: aircraftSchema }, (request, reply) => sendWhole(context, 'readsb', request, reply));
  app.get('/data/receiver.json', { schema: receiverSchema }, (request, reply) => {
    const body = receiverFile(context.maps, context.history.isKept);
    const snapshot = freshSnapshot(context);
    return sendMade(context, request, reply, { snapshot, make: () => `${JSON.stringify(body)}\n` });
  });
  mapFileRoutes(app, context);
}
