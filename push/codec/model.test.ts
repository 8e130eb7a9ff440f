// The client model: ages, gaps and repetitions. That it has the aircraft of the service is proved in push/hub/clients.
import { expect, test } from 'vitest';
import { AircraftStreams } from './model.ts';

const full = {
  type: 'full',
  stream: 'a',
  seq: 7,
  now: 100,
  ac: [{ hex: '4b1234', alt_baro: 5000, squawk: '1000', seen: 0.5, seen_pos: 2 }],
};

test('ages hold at the frame that carried them', () => {
  const model = new AircraftStreams();
  model.apply(full);
  model.apply({ type: 'delta', stream: 'a', seq: 8, now: 110, new: [], update: [], remove: [] });
  expect(model.ages('a', '4b1234', 112)).toEqual({ seen: 12.5, seenPosition: 14 });
  model.apply({ type: 'delta', stream: 'a', seq: 9, now: 120, new: [], update: [{ hex: '4b1234', seen: 0, seen_pos: 1 }], remove: [] });
  expect(model.ages('a', '4b1234', 120)).toEqual({ seen: 0, seenPosition: 1 });
  expect(model.ages('a', 'ffffff', 120)).toEqual({ seen: null, seenPosition: null });
});

test('gaps and repetitions change nothing', () => {
  const model = new AircraftStreams();
  const delta = (seq: number) => ({ type: 'delta', stream: 'a', seq, now: seq, new: [], update: [], remove: ['4b1234'] });
  expect(model.apply(delta(8))).toBe('missed');
  expect(model.resume('a')).toBeNull();
  model.apply(full);
  expect(model.apply(delta(7))).toBe('repeated');
  expect(model.apply(delta(9))).toBe('missed');
  expect(model.streams.get('a')!.aircraft.size).toBe(1);
  expect(model.resume('a')).toEqual({ type: 'resume', stream: 'a', seq: 7 });
  expect([model.apply(delta(8)), model.apply(delta(9))]).toEqual(['applied', 'applied']);
  expect(model.apply({ type: 'hello' })).toBe('other');
});
