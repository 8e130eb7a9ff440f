// Messages of the push channels as AsyncAPI messages: frames with aircraft, and control messages. Aircraft are those of the REST contract, without the
// members that depend on a query.
import { pushMembers, SEQ_MAX } from '../../../../schemas/push.ts';
import { tiers } from '../../../access/caller.ts';
import { aircraftSchema } from '../../schemas/aircraft.ts';
import { problemSchema } from '../components.ts';
import type { Examples } from '../examples.ts';
import { asResponseSchema, type JsonSchema, SOME_MEMBERS, someMembersOf } from '../schemas.ts';
import { filterSchema, zonesSchema } from './filters.ts';

const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = (description: string, more: object = {}): JsonSchema => ({ type: 'string', description, ...more });
const unixSeconds = (description: string): JsonSchema => ({ type: 'number', format: 'double', description: `${description}; Unix s` });
const object = (description: string, properties: JsonSchema, required: readonly string[] = Object.keys(properties)): JsonSchema => ({
  ...{ type: 'object', description, required, properties },
});
const typed = (type: string): JsonSchema => ({ type: text('kind of message', { const: type }) });

/** JSON Schema draft 7, which AsyncAPI's schemas extend, has another name for it. */
function aircraftRecord(): JsonSchema {
  const { $id: _, properties, dependentRequired, ...rest } = aircraftSchema;
  const shown = Object.entries(properties).filter(([name]) => pushMembers.includes(name));
  return asResponseSchema({ ...rest, properties: Object.fromEntries(shown), dependencies: dependentRequired }) as JsonSchema;
}

/** What an update may have of a member: a value, or null for one that is gone. */
function updateSchema(record: JsonSchema): JsonSchema {
  const members = Object.keys(record['properties'] as object).filter((name) => name !== 'hex');
  const orGone = (name: string) => ({
    description: 'new value; null: gone',
    oneOf: [schemaRef(`Aircraft/properties/${name}`), { type: 'null' }],
  });
  return {
    type: 'object',
    description:
      'What changed of one aircraft: merge its members into the aircraft with this `hex`, and remove those that are null. `seen`, `seen_pos` and `lastPosition` count from `now` of this frame and are in every update; of an aircraft without an update they grow by the time between two frames.',
    required: ['hex'],
    properties: {
      hex: schemaRef('Aircraft/properties/hex'),
      ...Object.fromEntries(members.map((name) => [name, orGone(name)])),
    },
  };
}

const aircraft = (description: string): JsonSchema => ({
  type: 'array',
  description,
  items: { anyOf: [schemaRef('Aircraft'), schemaRef(`Aircraft${SOME_MEMBERS}`)] },
});
const seq = {
  type: 'integer',
  minimum: 0,
  maximum: SEQ_MAX,
  description: 'number of the frame in its stream; each is one greater than the one before. After any other number, reconnect or resume',
};
const now = unixSeconds('time of the tick; ages of its aircraft are relative to it');
const streamName = text('name of the stream: one filter, or one zone', { examples: ['k3VqX1Zan1'] });

function frames(head: JsonSchema): readonly [full: JsonSchema, delta: JsonSchema] {
  const full = {
    ...typed('full'),
    ...head,
    seq,
    now,
    ac: aircraft('all aircraft of the stream, whole; they replace those that the client has'),
  };
  const delta = {
    ...{ ...typed('delta'), ...head, seq, now },
    new: aircraft('aircraft that the stream did not have before, whole'),
    update: { type: 'array', description: 'aircraft that changed', items: schemaRef('AircraftUpdate') },
    remove: {
      type: 'array',
      description: 'addresses of aircraft that the stream no longer has',
      items: schemaRef('Aircraft/properties/hex'),
    },
  };
  return [
    object('The state of a stream at its last tick.', full),
    object('What one tick changed. Without changes the lists are empty: it is a heartbeat.', delta),
  ];
}

/** A parsed event of an event stream. */
const event = (type: string, data: string): JsonSchema =>
  object('Fields of the event; `data` is JSON in one line.', {
    event: text('type of the frame', { const: type }),
    id: text('`stream:seq`, which comes back as `Last-Event-ID`', { pattern: '^[\\w-]+:\\d+$' }),
    data: schemaRef(data),
  });

const code = { pattern: '^[a-z]+(-[a-z]+)*$' };
const control: JsonSchema = {
  Hello: object(
    'The first message of every connection.',
    {
      ...typed('hello'),
      tier: text('tier of the caller', { enum: [...tiers] }),
      interval_ms: { type: 'integer', minimum: 1, description: 'time between two frames of a stream; ms' },
      time: unixSeconds('clock of the service'),
      protocol: text('subprotocol of this connection'),
      snapshot_url: text('binary profile: where the `full` of a filter is'),
    },
    ['type', 'tier', 'interval_ms', 'time', 'protocol'],
  ),
  Status: object('Something about the connection that needs no response.', {
    ...typed('status'),
    code: text('`behind`: the client reads too slowly, frames were skipped, and a `full` follows when it has read the rest', code),
    detail: text('the same in words'),
  }),
  Error: object('The message before it was refused. The service closes the connection after it, except after `not-resumable`.', {
    ...typed('error'),
    code: text('stable code, as of HTTP problems. `not-resumable`: the frames since then are no longer kept, so subscribe again', code),
    detail: text('the same in words, with the member that is wrong'),
  }),
  Pong: object(
    'Response to `ping`.',
    { ...typed('pong'), time: unixSeconds('clock of the service'), id: { type: ['string', 'number'], description: '`id` of the ping' } },
    ['type', 'time'],
  ),
  Subscribe: {
    ...object(
      'Replaces the subscription of this connection by one filter, or by zones. Streams that stay go on without a `full`. While earlier frames wait for the client to read them, only the newest request counts.',
      {
        ...typed('subscribe'),
        filter: { ...schemaRef('Filter'), description: 'every aircraft without it' },
        zones: zonesSchema,
      },
      ['type'],
    ),
    not: { required: ['filter', 'zones'] },
  },
  Unsubscribe: object('Ends all streams of this connection.', typed('unsubscribe')),
  Resume: object('Asks for the frames after the newest one that the client has.', {
    ...typed('resume'),
    stream: text('stream of that frame'),
    seq: { ...seq, description: 'number of that frame' },
  }),
  Ping: object(
    'Asks for a `pong`, for clients that cannot send pings of the WebSocket protocol.',
    { ...typed('ping'), id: { type: ['string', 'number'], description: 'comes back in the `pong`' } },
    ['type'],
  ),
};

export function pushSchemas(): JsonSchema {
  const record = aircraftRecord();
  const { dependencies: _, ...someMembers } = record;
  const [plainFull, plainDelta] = frames({});
  const [full, delta] = frames({ stream: streamName });
  return {
    Aircraft: record,
    [`Aircraft${SOME_MEMBERS}`]: someMembersOf('Aircraft', someMembers),
    AircraftUpdate: updateSchema(record),
    Filter: filterSchema,
    ...{ PlainFull: plainFull, PlainDelta: plainDelta, Full: full, Delta: delta },
    ...{ FullEvent: event('full', 'Full'), DeltaEvent: event('delta', 'Delta') },
    ...control,
    Problem: problemSchema,
  };
}

const JSON_TYPE = 'application/json';
const BYTES_TYPE = 'application/octet-stream';
const FRAME_LAYOUT =
  'Byte 0 is `0xA1` (version 1), byte 1 the codec (0 raw, 1 zlib), byte 2 the type (0 full, 1 delta), byte 3 the length of the stream name, then little-endian: `seq` (u32), `now` in Unix ms (f64), length of the body before compression (u32), the name of the stream, and the body in columns. push/codec/README.md has every byte; `/stream/decoder.js` decodes it in browsers and Node to the frames of `aircraft.v2.json`, `examples/push-binary` in Python.';

/** Messages by name. Examples are aircraft of real responses. */
export function pushMessages(examples: Examples): JsonSchema {
  const json = (name: string, summary: string, example: object, contentType = JSON_TYPE) => ({
    ...{ name, title: name, summary, contentType, payload: schemaRef(name), examples: [{ name: 'example', payload: example }] },
  });
  const { whole, changes } = exampleFrames(examples);
  const head = { stream: 'k3VqX1Zan1' };
  const id = (n: number): string => `${head.stream}:${n}`;
  const binary = (name: string, summary: string) => ({
    ...{ name, title: name, summary, description: FRAME_LAYOUT, contentType: BYTES_TYPE },
    payload: { type: 'string', format: 'binary' },
  });
  const full = { type: 'full', ...head, ...whole };
  const delta = { type: 'delta', ...head, ...changes };
  return {
    PlainFull: json('PlainFull', 'All aircraft', { type: 'full', ...whole }),
    PlainDelta: json('PlainDelta', 'What changed', { type: 'delta', ...changes }),
    Full: json('Full', 'All aircraft of a stream', full),
    Delta: json('Delta', 'What changed in a stream', delta),
    FullEvent: json('FullEvent', 'All aircraft, as an event', { event: 'full', id: id(7), data: full }, 'text/event-stream'),
    DeltaEvent: json('DeltaEvent', 'What changed, as an event', { event: 'delta', id: id(8), data: delta }, 'text/event-stream'),
    BinaryFull: binary('BinaryFull', 'All aircraft of a stream, as a binary frame'),
    BinaryDelta: binary('BinaryDelta', 'What changed in a stream, as a binary frame'),
    Hello: json('Hello', 'First message', {
      ...{ type: 'hello', tier: 'anonymous', interval_ms: 10_000, time: whole.now, protocol: 'aircraft.v2.json' },
    }),
    Status: json('Status', 'Frames were skipped', {
      ...{ type: 'status', code: 'behind', detail: 'frames were skipped, because the client reads too slowly; a full follows' },
    }),
    Error: json('Error', 'A message was refused', {
      ...{ type: 'error', code: 'bad-value', detail: 'lat cannot be "91": expected a number from -90 to 90' },
    }),
    Pong: json('Pong', 'Response to a ping', { type: 'pong', time: whole.now, id: 1 }),
    Subscribe: json('Subscribe', 'Follow one filter, or zones', { type: 'subscribe', filter: { lat: 52.31, lon: 4.76, radius_nm: 50 } }),
    Unsubscribe: json('Unsubscribe', 'Follow nothing', { type: 'unsubscribe' }),
    Resume: json('Resume', 'Continue after a frame', { type: 'resume', stream: head.stream, seq: 8 }),
    Ping: json('Ping', 'Are you there?', { type: 'ping', id: 1 }),
    Refused: {
      ...{ name: 'Refused', title: 'Refused', summary: 'Why there is no stream', contentType: 'application/problem+json' },
      ...{ payload: schemaRef('Problem'), examples: [{ name: 'example', payload: exampleProblem }] },
    },
    SbsLines: {
      ...{ name: 'SbsLines', title: 'SbsLines', summary: 'Lines of SBS-1 (BaseStation) text', contentType: 'text/csv' },
      description:
        'What changed of the aircraft, once a second: lines of 22 cells that end with CR LF, types 1 to 6 and 8. docs/use/outputs.md has the cells.',
      payload: { type: 'string' },
    },
    BeastRecords: {
      ...{ name: 'BeastRecords', title: 'BeastRecords', summary: 'Received frames as Beast records', contentType: BYTES_TYPE },
      description: 'Every received frame, with the counter and the signal level of its receiver, as `0x1a` records of types 2 and 3.',
      payload: { type: 'string', format: 'binary' },
    },
  };
}

const refusal = 'lat cannot be "91": expected a number from -90 to 90';
const exampleProblem = {
  ...{
    type: 'about:blank',
    title: 'Bad Request',
    status: 400,
    detail: refusal,
    instance: '/v2/stream',
    code: 'bad-value',
    request_id: 'push',
  },
  ...{ msg: refusal, errors: [{ param: 'lat', detail: 'expected a number from -90 to 90' }] },
};

/** A full of one aircraft and a delta with another one, from the example of `/v2/all`. */
function exampleFrames(examples: Examples) {
  const { now: at, ac } = examples['/v2/all']!.response as { now: number; ac: { hex: string }[] };
  const [first, second] = ac as [{ hex: string }, { hex: string }];
  return {
    whole: { seq: 7, now: at, ac: [first] },
    changes: {
      seq: 8,
      now: at + 10,
      new: [second],
      update: [{ hex: first.hex, alt_baro: 34_975, nav_heading: null, seen_pos: 0.31, seen: 0.2 }],
      remove: ['3c6589'],
    },
  };
}
