// JSON schemas that several routes share: envelopes, times, the empty query. Aircraft are those of aircraft.ts, by name.
import { described, flag, integer, long, longAmount, number, object, type Properties, reference, text } from './build.ts';

/** Declares a response with this error in addition to the shared ones: `response: { 200: …, 404: problemResponse }`. */
export const problemResponse = { $ref: 'Problem#' } as const;

/** Unix seconds, UTC, 1 decimal. */
export const unixSeconds = (description: string) => number(`${description}; Unix s, UTC, 1 decimal`);

/** Members of every response: the block META of decisions G6. */
export const metaProperties = {
  now: unixSeconds('time of the snapshot; ages are relative to it'),
  ctime: unixSeconds('time at which these bytes were made'),
  ptime: unixSeconds('time at which the snapshot was processed'),
  total: { type: 'integer', minimum: 0, description: 'items in this response' },
} as const;

const messages = longAmount('messages that changed a state since the log began, without duplicates from other receivers');
export const truncated = flag('true when `limit` left some out; otherwise absent');

export const fromHistory = flag(
  'true when `at` is before the frames of the log, and the aircraft are stored positions: of the members that are always present, `messages` is 1, `seen` the age ' +
    'of the position and `rssi` -49.5; otherwise absent',
);

/** The block ENV with more members: `extra` lists those that a response has in addition. */
export const envelopeOf = (extra: Properties = {}, required: readonly string[] = []) =>
  object(
    {
      ...{ ...metaProperties, messages, truncated, from_history: fromHistory, ...extra },
      ac: described('the aircraft', reference('Aircraft')),
    },
    ['now', 'messages', 'total', 'ctime', 'ptime', 'ac', ...required],
  );

/** Responses of a list with the parameter `at`, besides the shared ones. */
export const mayBeTooOld = { 404: { description: 'the moment is not in the log' } } as const;

/** The aggregators' envelope. */
export const compatEnvelopeSchema = object(
  {
    ac: described('the aircraft', reference('ReadsbAircraft')),
    msg: text('No error'),
    now: long('time of the snapshot, Unix ms'),
    total: metaProperties.total,
    ctime: long('time at which these bytes were made, Unix ms'),
    ptime: integer('time to build the snapshot, ms'),
    radius_nm: number('radius of the search, nm'),
    truncated,
  },
  ['ac', 'msg', 'now', 'total', 'ctime', 'ptime'],
);

/** readsb's own envelope. */
export const readsbEnvelopeSchema = object(
  {
    now: number('time of the snapshot, Unix s, 3 decimals'),
    messages,
    aircraft: described('the aircraft', reference('ReadsbAircraft')),
    resultCount: metaProperties.total,
    ptime: number('time to build the response, ms'),
  },
  ['now', 'aircraft'],
);
