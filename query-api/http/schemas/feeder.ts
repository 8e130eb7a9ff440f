// The feeder of an owner, as `/v2/feeders/me` has it.
import { tiers } from '../../../schemas/tiers.ts';
import { healthStates, troubleCodes } from '../../feeders/health.ts';
import { spans } from '../../feeders/series.ts';
import { amount, flag, integer, listOf, number, object, part, text } from './build.ts';
import { unixSeconds } from './envelope.ts';

const rate = number('messages a second');
const signal = number('mean signal level, dBFS, 1 decimal; absent without one');
const ranges = (when: string) => listOf(amount('nm'), `greatest range ${when} in 16 directions, north first, clockwise; 0 without any`);

export const spanParameter = {
  span: { type: 'string', enum: Object.keys(spans), default: 'day', description: 'how far the history goes back' },
};

const point = object(
  {
    ...{ time: unixSeconds('start of the step'), messages_per_second: rate, aircraft: amount('aircraft in the best minute') },
    ...{ signal_dbfs: signal, range_nm: amount('greatest range, nm; 0 without any') },
  },
  ['time', 'messages_per_second', 'aircraft', 'range_nm'],
);

const properties = {
  now: unixSeconds('time of this response'),
  id: text('id of the feeder, a keyed hash'),
  name: text('name that its owner gave it; empty without one'),
  show_range: flag('its range may be shown on the map, rounded to a quarter of a degree'),
  claimed_at: unixSeconds('when it was claimed'),
  key: text('its API key; only in a session of the dashboard'),
  previous_key_ends: unixSeconds('until when the key before the last rotation is valid; absent if there is none'),
  health: part('how it does', {
    state: text('`waiting`: it has just begun', { enum: healthStates }),
    text: text('the same in a sentence'),
    troubles: listOf(
      object({ code: text('stable code', { enum: troubleCodes }), text: text('what is wrong'), advice: text('what to do') }),
      'what is wrong, the worst first',
    ),
  }),
  connected: flag('it is connected'),
  connected_since: unixSeconds('when the connection began; absent without one'),
  format: text('`beast` or `avr`; absent while unknown'),
  last_seen: unixSeconds('when it was connected or heard last; absent before that'),
  messages_per_second: number('messages a second in the last minute, all that it sent; absent at first'),
  aircraft: amount('aircraft with a position in the last whole minute'),
  ranges_nm: ranges('in the last whole minute'),
  signal_dbfs: signal,
  late_seconds: number('how late its messages come, measured against other receivers'),
  tier: text('tier of callers with its key', { enum: tiers }),
  tier_reason: text('why, in words'),
  contributor_until: unixSeconds('until when it is a Contributor; absent if it never was'),
  trial_ends: unixSeconds('end of its trial; absent in other tiers'),
  limits: part('limits of the tier; absent without any', {
    request_seconds: integer('time between two requests, s'),
    requests_a_day: integer('number of requests in a day that follow from that'),
    push_seconds: integer('interval of the streams, s'),
    sockets: integer('number of streams and watches at a time'),
    bytes_a_day: integer('bytes that it may be sent in a UTC day'),
  }),
  today: part('use of its key and address today, UTC', {
    requests: amount('number of counted requests'),
    bytes: amount('number of bytes that were sent'),
  }),
  history: part('plots; absent without a history', {
    from: unixSeconds('start of the span'),
    to: unixSeconds('end of the span'),
    step_seconds: integer('time from one point to the next, s'),
    ranges_nm: ranges('of the span'),
    points: listOf(point, 'points, the oldest first; none for a step in which it was not heard'),
  }),
  history_problem: text('why there is no history; absent with one'),
};

const sometimes = [
  ...['key', 'previous_key_ends', 'connected_since', 'format', 'last_seen', 'messages_per_second', 'signal_dbfs'],
  ...['tier', 'tier_reason', 'contributor_until', 'trial_ends', 'limits', 'history', 'history_problem'],
];

export const feederSchema = object(
  properties,
  Object.keys(properties).filter((name) => !sometimes.includes(name)),
);
