// Encoder, decoder and model together: the objects of a client are those of `/v2`, at the stated precision, after any sequence of ticks.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AircraftFacts } from '../../pipeline/aircraft/facts.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { aircraftStates } from '../../test/support/aircraft-states.ts';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { differences, everyIndex, listingOf } from '../../test/support/wire-objects.ts';
import { AircraftDecoder } from './decoder.ts';
import { AircraftEncoder } from './encoder.ts';
import { AircraftStreams } from './model.ts';

const STREAM = 'epoch.fast.world';
const RUNS = 50;
/** On a busy machine fewer sequences do; a failure is reported within the test's time. */
const interruptAfterTimeLimit = 30_000;

/** A client that decodes binary frames and keeps their aircraft. */
class Client {
  readonly decoder = new AircraftDecoder();
  readonly streams = new AircraftStreams();

  async receive(frame: Uint8Array): Promise<void> {
    const decoded = await this.decoder.decode(frame);
    if (decoded !== null) expect(this.streams.apply(decoded)).toBe('applied');
  }

  get aircraft(): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
    return this.streams.streams.get(STREAM)!.aircraft;
  }
}

const hexes = ['000000', 'ffffff', '~000000', '~ffffff', '4b1234', '3c6586', '~3c6586', 'abcdef'];
const facts = (hex: string): AircraftFacts | null =>
  hex.startsWith('~') ? null : { registration: `D-${hex}`, description: 'Flugzeug "Ä"\\', dbFlags: hex === 'ffffff' ? 1 : 0 };

/** The last message of an aircraft is not older than its last position. */
const consistent = (state: AircraftState): AircraftState => ({ ...state, seenMs: Math.max(state.seenMs, state.positionMs ?? 0) });
/** States of some aircraft, with any values. */
const someStates = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...hexes), aircraftStates), { selector: ([hex]) => hex, maxLength: hexes.length })
  .map((list) => list.map(([hex, state]) => consistent({ ...state, hex })));
const ticks = fc.array(fc.record({ states: someStates, stepMs: fc.constantFrom(1000, 1, 10_000, 150_000) }), {
  minLength: 1,
  maxLength: 6,
});

describe('the binary profile', () => {
  test('any sequence of ticks gives the objects of /v2, and a client that begins later has the same', async () => {
    const sequence = async (list: readonly { states: AircraftState[]; stepMs: number }[], slowFrames: number): Promise<void> => {
      const encoder = new AircraftEncoder({ stream: STREAM, slowFrames });
      const client = new Client();
      let nowMs = NOW_MS;
      for (const [seq, { states, stepMs }] of list.entries()) {
        nowMs += stepMs;
        const { listing, objects } = listingOf(states, nowMs, facts);
        const delta = encoder.delta(seq, nowMs, listing, everyIndex(listing));
        await client.receive(seq === 0 ? encoder.full() : delta);
        if (slowFrames === 1) expect(differences(client.aircraft, objects)).toEqual([]);
        const later = new Client();
        await later.receive(encoder.full());
        expect(client.aircraft).toEqual(later.aircraft);
      }
    };
    const slowFrames = fc.constantFrom(1, 1, 2, 3, 4);
    await fc.assert(fc.asyncProperty(ticks, slowFrames, sequence), { numRuns: RUNS, interruptAfterTimeLimit });
  });

  test('fields that are not fast follow within `slowFrames` frames', async () => {
    const stale: number[] = [];
    for (const change of [1, 2, 3, 4]) {
      const encoder = new AircraftEncoder({ stream: STREAM, slowFrames: 4 });
      const client = new Client();
      const late: number[] = [];
      for (let seq = 0; seq < 9; seq += 1) {
        const nowMs = NOW_MS + 1000 * seq;
        const { listing, objects } = listingOf(
          [{ ...fullState(1), seenMs: nowMs, positionMs: nowMs, messages: seq < change ? 10 : 20 }],
          nowMs,
        );
        const delta = encoder.delta(seq, nowMs, listing, everyIndex(listing));
        await client.receive(seq === 0 ? encoder.full() : delta);
        if (differences(client.aircraft, objects).length > 0) late.push(seq);
      }
      stale.push(late.length);
    }
    expect(stale.sort()).toEqual([0, 1, 2, 3]);
  });

  const crowd = (count: number, seq: number): AircraftState[] =>
    Array.from({ length: count }, (_, i) => ({ ...fullState(i), latitudeMicrodeg: fullState(i).latitudeMicrodeg! + 1500 * seq }));
  test('an empty world, one aircraft, 6,000 and an empty world again', async () => {
    const encoder = new AircraftEncoder({ stream: STREAM });
    const client = new Client();
    for (const [seq, count] of [0, 1, 6000, 0].entries()) {
      const nowMs = NOW_MS + 1000 * seq;
      const states = crowd(count, seq).map((state, i) => ({ ...state, seenMs: nowMs, positionMs: nowMs - (i % 900) }));
      const { listing, objects } = listingOf(states, nowMs);
      const delta = encoder.delta(seq, nowMs, listing, everyIndex(listing));
      await client.receive(seq === 0 ? encoder.full() : delta);
      expect([client.aircraft.size, differences(client.aircraft, objects).slice(0, 3)]).toEqual([count, []]);
    }
  });

  test('repeated frames are skipped, missing ones are a gap', async () => {
    const encoder = new AircraftEncoder({ stream: STREAM });
    const frames = [3, 4, 5, 6].map((seq) => {
      const nowMs = NOW_MS + 1000 * seq;
      const { listing } = listingOf([{ ...fullState(seq), seenMs: nowMs, positionMs: nowMs }], nowMs);
      return [encoder.delta(seq, nowMs, listing, everyIndex(listing)), encoder.full()] as const;
    });
    const decoder = new AircraftDecoder();
    await expect(decoder.decode(frames[0]![0])).rejects.toMatchObject({ name: 'Error', code: 'gap' });
    expect(await decoder.decode(frames[1]![1])).toMatchObject({ type: 'full', seq: 4 });
    expect(await decoder.decode(frames[0]![0])).toBeNull();
    await expect(decoder.decode(frames[3]![0])).rejects.toMatchObject({ code: 'gap' });
    expect(decoder.seq).toBe(4);
    expect(await decoder.decode(frames[2]![0])).toMatchObject({ type: 'delta', seq: 5 });
    expect(await decoder.decode(frames[3]![0])).toMatchObject({ type: 'delta', seq: 6 });

    const model = new AircraftStreams();
    const delta = (seq: number) => ({ type: 'delta', stream: 'a', seq, now: seq, new: [], update: [], remove: ['4b1234'] });
    expect([model.apply(delta(8)), model.resume('a')]).toEqual(['missed', null]);
    model.apply({ type: 'full', stream: 'a', seq: 7, now: 100, ac: [{ hex: '4b1234', squawk: '1000' }] });
    expect([7, 9].map((seq) => model.apply(delta(seq)))).toEqual(['repeated', 'missed']);
    expect([model.streams.get('a')!.aircraft.size, model.resume('a')]).toEqual([1, { type: 'resume', stream: 'a', seq: 7 }]);
    expect([8, 9].map((seq) => model.apply(delta(seq)))).toEqual(['applied', 'applied']);
  });
});
