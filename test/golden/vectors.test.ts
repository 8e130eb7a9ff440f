// Frames from the tests of other decoders: every intact one of a known format has content here.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decodeFrame } from '../../pipeline/decode/decode.ts';
import { messageFields } from '../../pipeline/decode/json.ts';
import { KIND_EXTENDED_OTHER, Message, REJECT_NO_AIRCRAFT, REJECT_NONE } from '../../pipeline/decode/message.ts';
import { goldenData, sharedData } from '../support/requirements.ts';

// The shared folder has those of decoders with other licences, too.
const shared = sharedData('frames', 'test-vectors');
const folder = shared.met ? shared.path : goldenData('frames', 'test-vectors').path;

/** Squitters whose type code or subtype has no defined content; most have damage that parity did not detect. */
const WITHOUT_CONTENT = [
  '8d85d792beaf5654b710d87357ee',
  '911c059d9805a452cf109f64924f',
  '9143e8eef79baeeacca522b044bf',
  '91adf9cec11c0524407f11538ee5',
  '92479249fcb22e16fbdc3bac5b56',
  '972ae8d6d73e298fcaa6bec4c338',
  '97caeef737fb1341bf58df19118a',
];

test('are decoded', () => {
  const frames = new Set<string>();
  for (const file of readdirSync(folder))
    for (const line of readFileSync(`${folder}/${file}`, 'utf8').toLowerCase().split('\n'))
      if (/^([0-9a-f]{14}|[0-9a-f]{28})$/.test(line.trim())) frames.add(line.trim());
  const message = new Message();
  const silent: string[] = [];
  let intact = 0;
  for (const hex of frames) {
    const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
    decodeFrame(bytes, 0, bytes.length as 7 | 14, message);
    if (message.reject !== REJECT_NONE && message.reject !== REJECT_NO_AIRCRAFT) continue;
    intact += 1;
    expect(Object.keys(messageFields(message, bytes, 0)).length).toBeGreaterThan(0);
    if (message.kind === KIND_EXTENDED_OTHER) silent.push(hex);
  }
  expect(silent.sort()).toEqual(WITHOUT_CONTENT.filter((hex) => frames.has(hex)));
  // All files of the shared folder, or those of the repository.
  expect(intact).toBeGreaterThan(frames.size > 300 ? 400 : 100);
});
