// Files that readsb's web maps and their companions read: `/data/aircraft.json`, `receiver.json`, `history_N.json`, `stats.json` and `outline.json`.
import { gunzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { sourceKinds } from '../../../schemas/avro/aircraft-state.ts';
import { SquitterError } from '../../../schemas/errors.ts';
import { fileText, outlineFile, receiverFile, statisticsFile } from '../../queries/maps/figures.ts';
import type { ApiContext } from '../context.ts';
import { type MadeText, sendWhole } from '../responses/response.ts';
import { amount, described, integer, listOf, longAmount, mayBeUnknown, number, object, part, schemaOf, text } from '../schemas/build.ts';
import { readsbEnvelopeSchema } from '../schemas/envelope.ts';
import { type SnapshotRequest, type SnapshotRow, snapshotRoutes } from '../snapshot-routes.ts';

const yes = (description: string) => ({ type: 'boolean', const: true, description });
const position = number('position of the receiver, degrees; only if its operator publishes it');
const period = part('one period', {
  start: number('Unix s'),
  end: number('Unix s'),
  messages: longAmount('messages that changed a state between them'),
  messages_valid: longAmount('the same number'),
  remote: part('messages of receivers', {
    accepted: listOf({ type: 'integer', format: 'int64' }, 'one number, the same'),
  }),
  position_count_total: longAmount('new positions, at most one per aircraft and snapshot'),
  tracks: part('aircraft that appeared', {
    all: amount('aircraft'),
    single_message: amount('always 0: an aircraft without a position appears with its second message'),
  }),
  cpr: part('positions by how they were decoded, which this service does not count', {
    global_ok: amount('number of positions from two messages; always 0, and readers then take `position_count_total`'),
    local_ok: amount('number of positions from one message; always 0'),
  }),
  cpu: part('always empty', {}),
});
const periods = Object.fromEntries(['latest', 'last1min', 'last5min', 'last15min', 'total'].map((name) => [name, period]));
const always = {
  now: number('time of the snapshot, Unix s'),
  aircraft_with_pos: amount('aircraft with a position'),
  aircraft_without_pos: amount('other aircraft'),
  aircraft_count_by_type: part(
    'aircraft by kind of source',
    Object.fromEntries(sourceKinds.map((kind) => [kind, amount(`aircraft of the kind ${kind}`)])),
  ),
};
const farthest = described('latitude, longitude and altitude in ft of the farthest position of each degree, clockwise from the north', {
  ...{ type: 'array', items: { type: 'number' }, minItems: 3, maxItems: 3 },
});

const jsonOf = (value: object): MadeText => ({ make: () => fileText(value) });

const files: readonly SnapshotRow[] = [
  {
    path: '/data/receiver.json',
    cost: 'none',
    summary: 'Settings that web maps read at their start',
    description: 'How often maps read `aircraft.json`, and how much history they may load, and which views they offer.',
    response: object(
      {
        version: text('name of this service'),
        readsb: yes('the files are those of readsb'),
        refresh: integer('ms between two reads of aircraft.json'),
        history: amount('number of history files: one in 30 s, of the last hour; 0 for callers with limits'),
        haveTraces: yes('there are trace files'),
        haveReplay: yes('there are files of the past to replay; absent without a history'),
        ...{ lat: position, lon: position, outlineJson: yes('present if there is an `outline.json`') },
      },
      ['version', 'readsb', 'refresh', 'history', 'haveTraces'],
    ),
    respond: ({ context, caller }) => {
      const hasLimits = caller.tier !== 'anonymous';
      return {
        // Maps ask for all files of the history at once, which limits would refuse.
        ...jsonOf(
          receiverFile(context.maps, {
            history: hasLimits ? 0 : context.maps.history.count,
            hasTraces: true,
            isReplayed: context.history.isKept,
          }),
        ),
        variant: hasLimits ? '-limited' : '',
      };
    },
  },
  {
    path: '/data/history_:number.json',
    summary: 'Past positions of aircraft, which web maps load at their start',
    description:
      'One of the files that `receiver.json` counts: a snapshot with the members that a track needs, one in 30 s, of the last hour. The memory of this process begins with it. Order files by their `now`: numbers move up when the oldest goes.',
    params: { number: { ...amount('number of the file, from 0'), examples: [0] } },
    response: object({
      now: number('time of the snapshot, Unix s, 3 decimals'),
      messages: longAmount('messages that changed a state since the log began, without duplicates from other receivers'),
      aircraft: described('aircraft with a position; members as in aircraft.json, some of them', {
        ...object({ hex: text('ICAO 24-bit address') }),
        additionalProperties: true,
      }),
    }),
    more: mayBeUnknown,
    respond: ({ context, params, headers }: SnapshotRequest<{ readonly number: number }>) => {
      const file = context.maps.history.file(params.number);
      if (file === undefined) throw new SquitterError('api.not_found', { path: `history file ${params.number}` });
      const takesGzip = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
      return takesGzip ? { ready: { body: file, encoding: 'gzip', contentType: undefined } } : { make: () => gunzipSync(file) };
    },
  },
  {
    path: '/data/stats.json',
    summary: 'Numbers of messages and aircraft, in the format of readsb',
    description:
      'Periods end at whole minutes; `latest` is the time since, `total` begins with this process. Until a minute has ended, all are the time since the start. Figures of readsb about its radio are missing: this service has none.',
    response: object({ ...always, ...periods }, Object.keys(always)),
    respond: ({ context, snapshot }) => jsonOf(statisticsFile(context.maps, snapshot)),
  },
  {
    path: '/data/outline.json',
    summary: 'Range of reception in each direction',
    description: 'Measured over the last 24 hours. Empty unless the operator publishes the position of the receiver.',
    response: object({ actualRange: part('by period', { last24h: part('the last 24 hours', { points: farthest }) }) }),
    respond: ({ context }) => jsonOf(outlineFile(context.maps)),
  },
];

export function mapFileRoutes(app: FastifyInstance, context: ApiContext): void {
  const schema = schemaOf({
    summary: 'All aircraft, in the format of readsb',
    description: 'The file that web maps read each second. Query parameters are ignored, because maps add cache breakers.',
    response: readsbEnvelopeSchema,
  });
  app.get('/data/aircraft.json', { schema }, (request, reply) => sendWhole(context, 'readsb', request, reply));
  snapshotRoutes(app, context, files);
}
