// The client model: gaps and repetitions. That it has the aircraft of the service is proved in push/hub/clients.
import { expect, test } from 'vitest';
import { AircraftStreams } from './model.ts';

const full = {
  type: 'full',
  stream: 'a',
  seq: 7,
  now: 100,
  ac: [{ hex: '4b1234', alt_baro: 5000, squawk: '1000', seen: 0.5, seen_pos: 2 }],
};

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
