// JSON schemas that several routes share. The OpenAPI document is generated from them in a later issue.

const unixSeconds = { type: 'number', description: 'Unix seconds, UTC, 1 decimal' } as const;

/** No query parameters: an unknown one is an error that names it. */
export const noQuery = { type: 'object', properties: {}, additionalProperties: false } as const;

export const envelopeSchema = {
  type: 'object',
  required: ['now', 'messages', 'total', 'ctime', 'ptime', 'ac'],
  properties: {
    now: { ...unixSeconds, description: 'time of the snapshot; ages of aircraft are relative to it' },
    messages: { type: 'integer', description: 'messages that took effect since the log began' },
    total: { type: 'integer', description: 'aircraft in this answer' },
    ctime: { ...unixSeconds, description: 'when these bytes were made' },
    ptime: { ...unixSeconds, description: 'when the snapshot was processed' },
    ac: {
      type: 'array',
      items: { type: 'object', additionalProperties: true, required: ['hex', 'mlat', 'tisb', 'messages', 'seen', 'rssi'] },
    },
  },
} as const;
