// Schemas of the daily files for the contract: pages, lists, manifests, files.
import { dailyKinds } from '../../../schemas/daily-file.ts';
import { amount, described, object, text } from './build.ts';

const DAY = '^\\d{4}-\\d\\d-\\d\\d$';
const SHA256 = '^[0-9a-f]{64}$';

const file = {
  kind: text('what it has', { enum: [...dailyKinds] }),
  name: text('name of the file'),
  rows: amount('number of rows'),
  bytes: amount('length of the file, bytes'),
  sha256: text('SHA-256 of the file', { pattern: SHA256 }),
};
const offsets = (description: string) =>
  described(
    description,
    object({
      partition: amount('number of the partition'),
      first: amount('number of the first record'),
      next: amount('number of the record after the last one'),
    }),
  );
const version = { type: 'integer', minimum: 1, description: 'version of the columns: raised when one changes its meaning' };
const licence = 'SPDX identifier of the licence';

const indexBody = object({
  licence: text(`${licence}; null before the first day`, { type: ['string', 'null'] }),
  attribution: text('who to name as the source; null before the first day', { type: ['string', 'null'] }),
  latest: text('the newest day; null before the first day', { type: ['string', 'null'] }),
  schema: text('address of the page of columns'),
  checksums: text('address of the checksums'),
  days: described(
    'published days, the newest first',
    object({
      day: text('UTC day', { pattern: DAY }),
      schema_version: version,
      licence: text(licence),
      manifest: text('address of the manifest'),
      preview: text('address of a picture of the day'),
      files: described('files of the day', object({ ...file, url: text('address of the file') })),
    }),
  ),
});

const manifestBody = object({
  version,
  day: text('UTC day', { pattern: DAY }),
  licence: text(licence),
  attribution: text('who to name as the source'),
  files: described('files of the day', object(file)),
  frames: offsets('offsets of the frames topic that the positions are from'),
  flightsEnded: offsets('offsets of the topic of ended flights that were read'),
  referenceSha256: text('SHA-256 of the registrations and types in the files'),
  writer: text('program that wrote the files'),
});

const whole = (type: string, schema: object) => ({ content: { [type]: { schema } } });
const unchanged = { description: 'unchanged' };
const refused = { description: 'the condition in If-Match or If-Unmodified-Since is not met' };

const ofType = (type: string, schema: object) => ({ 200: whole(type, schema), 304: unchanged, 412: refused });
export const pageResponse = (description: string) => ofType('text/html', text(description));
export const indexResponse = ofType('application/json', indexBody);
export const checksumsResponse = ofType('text/plain', text('one line for each file: SHA-256, two blanks, name'));

const bytes = text('the bytes of the file', { contentMediaType: 'application/octet-stream' });
const files = (manifest: object) => ({
  content: {
    'application/vnd.apache.parquet': { schema: bytes },
    'application/json': { schema: manifest },
    'image/svg+xml': { schema: text('picture of a day: where aircraft were, and how many in each hour') },
  },
});
export const fileResponse = {
  200: files(manifestBody),
  206: files({ description: 'a part of the manifest' }),
  304: unchanged,
  404: { description: 'no such file' },
  412: refused,
  416: { description: 'a range after the end' },
  503: { description: 'too many downloads at a time' },
};
