// Many receivers of the same aircraft: late, with wrong clocks, out of order, with damage. The fold gives the same result as from the best
// one alone.
import { expect, test } from 'vitest';
import type { PositionRow } from '../../schemas/avro/position-batch.ts';
import { type Folded, foldHeard, type Hearer, heard, transmissions } from '../support/heard-traffic.ts';

const AIRCRAFT = 20;
const SECONDS = 120;
/** After this time learning is over, and every aircraft is known. */
const WARM_UP_MS = 20_000;
const M_PER_MICRODEG = 0.111_195;

const sent = transmissions(AIRCRAFT, SECONDS, 5);

const best: Hearer = { id: 'best', delayMs: (draw) => 20 + 60 * draw() };
const prompt: Hearer = { id: 'prompt', share: 0.8, delayMs: (draw) => 10 + 150 * draw() };
const delayed: Hearer = { id: 'delayed', share: 0.8, delayMs: (draw) => 1500 + 100 * draw() };
const shuffled: Hearer = { id: 'shuffled', share: 0.8, delayMs: (draw) => 2000 * draw() };
const ahead: Hearer = { id: 'ahead', share: 0.8, clockMs: 3000, delayMs: (draw) => 40 * draw() };
const behind: Hearer = { id: 'behind', share: 0.8, clockMs: -3000, delayMs: (draw) => 40 * draw() };
const damaging: Hearer = { id: 'damaging', share: 0.8, delayMs: (draw) => 30 + 50 * draw(), damage: 0.5 };

function metres(a: PositionRow, latitudeMicrodeg: number, longitudeMicrodeg: number): number {
  const east = (longitudeMicrodeg - a.longitudeMicrodeg) * Math.cos(((a.latitudeMicrodeg / 1e6) * Math.PI) / 180);
  return Math.hypot(east, latitudeMicrodeg - a.latitudeMicrodeg) * M_PER_MICRODEG;
}

/**
 * Distances of positions from the line through the reference's positions within three seconds. `shiftMs`: how far the common clock is
 * behind.
 */
function errorsM(rows: readonly PositionRow[], reference: readonly PositionRow[], shiftMs: number): number[] {
  const errors: number[] = [];
  let i = 0;
  for (const row of rows) {
    const timeUs = row.timeUs + 1000 * shiftMs;
    while (i + 1 < reference.length && reference[i + 1]!.timeUs <= timeUs) i += 1;
    const [from, to] = [reference[i], reference[i + 1]];
    if (from === undefined || to === undefined || from.timeUs > timeUs || to.timeUs - from.timeUs > 3e6) continue;
    const part = (timeUs - from.timeUs) / (to.timeUs - from.timeUs);
    const latitude = from.latitudeMicrodeg + part * (to.latitudeMicrodeg - from.latitudeMicrodeg);
    errors.push(metres(row, latitude, from.longitudeMicrodeg + part * (to.longitudeMicrodeg - from.longitudeMicrodeg)));
  }
  return errors.sort((a, b) => a - b);
}

/** Moves of more than 20 m against the reported track. */
function backwards(rows: readonly PositionRow[]): number {
  return rows.filter((row, i) => {
    const before = rows[i - 1];
    if (before === undefined || before.trackCentideg === null || before.onGround) return false;
    if (metres(before, row.latitudeMicrodeg, row.longitudeMicrodeg) < 20) return false;
    const track = ((before.trackCentideg / 100) * Math.PI) / 180;
    const east = (row.longitudeMicrodeg - before.longitudeMicrodeg) * Math.cos(((before.latitudeMicrodeg / 1e6) * Math.PI) / 180);
    return east * Math.sin(track) + (row.latitudeMicrodeg - before.latitudeMicrodeg) * Math.cos(track) < 0;
  }).length;
}

const warmMs = sent[0]!.timeUs / 1000 + WARM_UP_MS;
const endMs = sent.at(-1)!.timeUs / 1000 - 5000;
const warm = (rows: readonly PositionRow[], shiftMs = 0) =>
  rows.filter(({ timeUs }) => timeUs / 1000 >= warmMs + shiftMs && timeUs / 1000 < endMs + shiftMs);
const reference = foldHeard(heard(sent, [best]));

/** Messages counted between two ticks. */
function messagesBetween(folded: Folded, fromMs: number, toMs: number): number {
  const at = (timeMs: number) => folded.ticks.find((tick) => tick.tickMs >= timeMs)!.progress.messages;
  return at(toMs) - at(fromMs);
}

function outcomeOf(hearers: readonly Hearer[], shiftMs = 0) {
  const folded = foldHeard(heard(sent, hearers));
  const errors: number[] = [];
  let back = 0;
  let timeSteps = 0;
  let positions = 0;
  for (const [hex, all] of folded.positions) {
    const rows = warm(all);
    positions += rows.length;
    errors.push(...errorsM(rows, reference.positions.get(hex) ?? [], shiftMs));
    back += backwards(rows);
    timeSteps += rows.filter((row, i) => i > 0 && row.timeUs < rows[i - 1]!.timeUs - 1000).length;
  }
  errors.sort((a, b) => a - b);
  return {
    /** Messages per transmission after the warm-up; 1 means each once. */
    messages: messagesBetween(folded, warmMs, endMs) / messagesBetween(reference, warmMs + shiftMs, endMs + shiftMs),
    /** Positions relative to the reference's. */
    positions: positions / [...reference.positions.values()].flatMap((rows) => warm(rows, shiftMs)).length,
    errorM95: errors[Math.floor(0.95 * errors.length)]!,
    errorMMax: errors.at(-1)!,
    backwards: back,
    /** Steps back in time of more than a millisecond. */
    timeSteps,
    lateMs: Object.fromEntries(hearers.map(({ id }) => [id, (0 - folded.fold.datedUs(0, folded.fold.receiverNumber(id))) / 1000])),
  };
}

test.each<[string, readonly Hearer[], shiftMs: number]>([
  ['one that is 1.5 s late', [best, delayed], 0],
  ['one with a clock 3 s behind: all follow it', [best, behind], 3000],
  ['all of them', [best, prompt, delayed, shuffled, ahead], 0],
])('the best receiver and %s count each transmission about once, and give the positions of the best one alone', (_, hearers, shiftMs) => {
  expect([...reference.positions.values()].flatMap((rows) => warm(rows)).length).toBeGreaterThan(2500);
  const outcome = outcomeOf(hearers, shiftMs);
  expect(outcome.messages).toBeGreaterThan(0.98);
  expect(outcome.messages).toBeLessThan(1.04);
  expect(outcome.positions).toBeGreaterThan(0.97);
  expect(outcome.positions).toBeLessThan(1.01);
  expect(outcome.errorM95).toBeLessThan(25);
  expect(outcome.errorMMax).toBeLessThan(200);
  // Forward in time and along the track.
  expect([outcome.backwards, outcome.timeSteps]).toEqual([0, 0]);
});

test('the lateness of each is learnt', () => {
  const { lateMs } = outcomeOf([best, prompt, delayed, ahead]);
  expect(lateMs).toMatchObject({ best: 0, prompt: 0 });
  expect(Math.abs(lateMs['delayed']! - 1480)).toBeLessThan(200);
  expect(Math.abs(lateMs['ahead']! - 2950)).toBeLessThan(100);
});

test('a receiver that damages every second position does not move aircraft far, and is refused', () => {
  const outcome = outcomeOf([best, prompt, damaging]);
  expect(outcome.positions).toBeGreaterThan(0.97);
  expect(outcome.errorM95).toBeLessThan(25);
  expect(outcome.errorMMax).toBeLessThan(600);
  expect(outcome.backwards / reference.ticks.length).toBeLessThan(0.15);
});
