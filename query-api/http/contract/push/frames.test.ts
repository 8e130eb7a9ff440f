// Every frame and message that a real hub sends, in every JSON channel, is one of its channel's messages; so is every example. The document says how.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AircraftDecoder } from '../../../../push/codec/decoder.ts';
import { PushContract, type PushDocument } from '../../../../test/support/push-contract.ts';
import { RecordingHub } from '../../../../test/support/recording-hub.ts';
import { projectDir } from '../../../../test/support/requirements.ts';
import { step, World } from '../../../../test/support/world.ts';

const RUNS = 30;

const contract = new PushContract(JSON.parse(readFileSync(join(projectDir, 'schemas/api/push-asyncapi.json'), 'utf8')) as PushDocument);

/** An event as the contract describes it. */
function parsedEvent(text: string): unknown {
  const [, event, id, data] = /^event: (.*)\nid: (.*)\ndata: (.*)\n\n$/.exec(text)!;
  return { event, id, data: JSON.parse(data!) };
}

const queries = [
  '',
  'lat=10&lon=20',
  'bbox=-90,-180,90,180',
  'min_altitude=0',
  'fields=lat,lon,alt_baro,lastPosition,acas_ra',
  'zones=0,0',
];

/** Opens the four channels with one query; what each was sent, as values of the contract. */
async function followed(recording: RecordingHub, query: string, follow: () => Promise<void>): Promise<Map<string, unknown[]>> {
  const plain = await recording.open(`/ws/?${query}`);
  const named = await recording.open(`/v2/ws?${query}`, { protocols: ['aircraft.v2.json'] });
  const events = await recording.open(`/v2/stream?${query}`, { kind: 'events' });
  const binary = await recording.open(`/v2/ws?${query}`, { protocols: ['aircraft.v2.bin'] });
  if (query === '') for (const socket of [named, binary]) await recording.say(socket, { type: 'subscribe' });
  await follow();
  for (const socket of [plain, named, events]) await recording.stall(socket);
  const decoder = new AircraftDecoder();
  const frames = recording.frames(binary).filter(({ isBinary }) => isBinary);
  const decoded = await Promise.all(frames.map(({ bytes }) => decoder.decode(Uint8Array.from(bytes))));
  return new Map<string, unknown[]>([
    ['plain', recording.texts(plain).map((text) => JSON.parse(text) as unknown)],
    ['named', recording.texts(named).map((text) => JSON.parse(text) as unknown)],
    ['binary', recording.texts(binary).map((text) => JSON.parse(text) as unknown)],
    ['events', recording.texts(events).map(parsedEvent)],
    ['decoded', decoded.map((frame) => JSON.parse(JSON.stringify(frame)) as unknown)],
  ]);
}

const typeOf = (value: unknown): string => {
  const { type, event } = value as { type?: string; event?: string };
  return type ?? event!;
};

test('frames of every JSON channel, from any world', { timeout: 60_000 }, async () => {
  const seen = new Set<string>();
  const worlds = fc.array(fc.array(step, { maxLength: 8 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(worlds, fc.constantFrom(...queries), async (ticks, query) => {
      const world = await World.create();
      world.tick();
      const recording = new RecordingHub(world);
      const sent = await followed(recording, query, async () => {
        for (const steps of ticks) {
          for (const each of steps) world.do(each);
          await recording.tick();
        }
      });
      recording.close();
      for (const [channel, values] of sent)
        for (const value of values) {
          // Decoded, binary frames are those of the JSON profile; a position may be without all of its members there.
          const isSome = query.startsWith('fields') || channel === 'decoded';
          expect(contract.faults(channel === 'decoded' ? 'named' : channel, value, isSome ? 'some' : 'whole')).toEqual([]);
          seen.add(`${channel} ${typeOf(value)}`);
        }
    }),
    { numRuns: RUNS },
  );
  const frames = ['plain', 'named', 'events', 'decoded'].flatMap((channel) => [`${channel} full`, `${channel} delta`]);
  expect([...seen].sort()).toEqual([...frames, 'named hello', 'named status', 'binary hello'].sort());
});

test('responses to messages of clients', async () => {
  const world = await World.create();
  for (let n = 0; n < 3; n += 1) world.do({ kind: 'state', n, empty: false });
  world.tick();
  const recording = new RecordingHub(world);
  const socket = await recording.open('/v2/ws', { protocols: ['aircraft.v2.json'] });
  const messages = [
    { type: 'ping' },
    { type: 'ping', id: 'a' },
    { type: 'subscribe' },
    { type: 'subscribe', zones: ['0,0', '0,10'] },
    { type: 'resume', stream: 'other', seq: 1 },
    { type: 'unsubscribe' },
    { type: 'subscribe', filter: { lat: 91 } },
  ];
  for (const message of messages) {
    const before = recording.texts(socket).length;
    await recording.say(socket, message);
    const name = `${message.type[0]!.toUpperCase()}${message.type.slice(1)}`;
    const { reply } = contract.document.operations[`named.${message.type}`]!;
    const replies = recording.texts(socket).slice(before);
    if (reply === undefined) expect([name, replies]).toEqual([name, []]);
    for (const text of replies) {
      const valid = reply!.messages.filter(
        ({ $ref }) => contract.payloadFaults($ref.split('/').at(-1)!, JSON.parse(text), 'some').length === 0,
      );
      expect([name, text, valid.length]).toEqual([name, text, 1]);
    }
  }
  expect(recording.end(socket)?.[0]).toBe(1008);
  recording.close();
});

test('examples are valid, and every JSON message has one', () => {
  for (const [name, { payload, examples }] of Object.entries(contract.document.components.messages)) {
    if ('$ref' in payload) expect([name, (examples ?? []).length > 0]).toEqual([name, true]);
    for (const { payload: example } of examples ?? []) expect([name, contract.payloadFaults(name, example, 'some')]).toEqual([name, []]);
  }
});
