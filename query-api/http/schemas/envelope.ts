// JSON schemas that several routes share: envelopes, times, the empty query. Aircraft are those of aircraft.ts, by name.

/** No query parameters: an unknown one is an error that names it. */
export const noQuery = { type: 'object', properties: {}, additionalProperties: false } as const;

/** Declares a response with this error in addition to the shared ones: `response: { 200: …, 404: problemResponse }`. */
export const problemResponse = { $ref: 'Problem#' } as const;

/** Unix seconds, UTC, 1 decimal. */
export const unixSeconds = (description: string) => ({ type: 'number', description: `${description}; Unix s, UTC, 1 decimal` }) as const;

/** Members of every response: the block META of decisions G6. */
export const metaProperties = {
  now: unixSeconds('time of the snapshot; ages are relative to it'),
  ctime: unixSeconds('time at which these bytes were made'),
  ptime: unixSeconds('time at which the snapshot was processed'),
  total: { type: 'integer', minimum: 0, description: 'items in this response' },
} as const;

const messages = {
  type: 'integer',
  format: 'int64',
  minimum: 0,
  description: 'messages that changed a state since the log began, without duplicates from other receivers',
} as const;
const truncated = { type: 'boolean', description: 'true when `limit` left some out; otherwise absent' } as const;

export const fromHistory = {
  type: 'boolean',
  description:
    'true when `at` is before the frames of the log, and the aircraft are stored positions: of the members that are always present, `messages` is 1, `seen` the age ' +
    'of the position and `rssi` -49.5; otherwise absent',
} as const;

/** The block ENV with more members: `extra` lists those that a response has in addition. */
export function envelopeOf(extra: Readonly<Record<string, object>> = {}, required: readonly string[] = []) {
  return {
    type: 'object',
    required: ['now', 'messages', 'total', 'ctime', 'ptime', 'ac', ...required],
    properties: {
      ...metaProperties,
      messages,
      truncated,
      from_history: fromHistory,
      ...extra,
      ac: { type: 'array', description: 'the aircraft', items: { $ref: 'Aircraft#' } },
    },
    additionalProperties: false,
  };
}

export const envelopeSchema = envelopeOf();

/** Responses of a list with the parameter `at`, besides the shared ones. */
export const mayBeTooOld = { 404: { description: 'the moment is not in the log' } } as const;

/** The aggregators' envelope. */
export const compatEnvelopeSchema = {
  type: 'object',
  required: ['ac', 'msg', 'now', 'total', 'ctime', 'ptime'],
  properties: {
    ac: { type: 'array', description: 'the aircraft', items: { $ref: 'ReadsbAircraft#' } },
    msg: { type: 'string', description: 'No error' },
    now: { type: 'integer', format: 'int64', description: 'time of the snapshot, Unix ms' },
    total: metaProperties.total,
    ctime: { type: 'integer', format: 'int64', description: 'time at which these bytes were made, Unix ms' },
    ptime: { type: 'integer', description: 'time to build the snapshot, ms' },
    radius_nm: { type: 'number', description: 'radius of the search, nm' },
    truncated,
  },
  additionalProperties: false,
} as const;

/** readsb's own envelope. */
export const readsbEnvelopeSchema = {
  type: 'object',
  required: ['now', 'aircraft'],
  properties: {
    now: { type: 'number', description: 'time of the snapshot, Unix s, 3 decimals' },
    messages,
    aircraft: { type: 'array', description: 'the aircraft', items: { $ref: 'ReadsbAircraft#' } },
    resultCount: metaProperties.total,
    ptime: { type: 'number', description: 'time to build the response, ms' },
  },
  additionalProperties: false,
} as const;
