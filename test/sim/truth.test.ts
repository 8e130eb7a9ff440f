// Our fold compared with what simulated aircraft flew and sent: the short form of `npm run verify:simulated`, and proof that it detects
// errors.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createFrameOutcome } from '../../pipeline/fold/frame-outcome.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { hexOf } from '../../pipeline/fold/state.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { Observer } from '../proof/observer/observer.ts';
import { compareAircraft, notFromTheAir } from '../proof/simulated/compare.ts';
import { edgeAirports } from '../proof/simulated/edges.ts';
import { rareFormats } from '../proof/simulated/rare.ts';
import { reportOf, truthText } from '../proof/simulated/report.ts';
import { runTruth } from '../proof/simulated/scenario.ts';
import { TruthTally } from '../proof/simulated/tally.ts';
import { truthChannel, verifyAgainstTruth } from '../proof/simulated/verify.ts';

const START_US = 1_700_000_000_000_000;
const SECONDS = 60;
/** Fields that do not occur in traffic of a minute. */
const SELDOM = ['gpsOkBefore', 'lastPosition'];

/** Traffic without bit errors in observer and fold, and every aircraft that both know. */
function watched() {
  const traffic = createTraffic({ aircraft: 60, seed: 9, startUs: START_US, everyFormat: rareFormats });
  const observer = new Observer(traffic);
  const fold = new PartitionFold({ tickMs: 1000, receiver: null });
  const outcome = createFrameOutcome();
  const slotOf = new Map<string, number>();
  let last = { sentUs: 0, transmission: null as ReturnType<Observer['transmission']> | null };
  traffic.advance(START_US + SECONDS * 1e6, (frame, i, sentUs) => {
    const { bytes, at, byteLength, timeUs, signal } = frame;
    const bits = Buffer.from(bytes.subarray(at, at + byteLength)).toString('hex');
    if (last.sentUs !== sentUs || last.transmission?.aircraft !== i)
      last = { sentUs, transmission: observer.transmission(bits, i, sentUs) };
    fold.advance(timeUs, null);
    fold.applyFrame(frame, fold.receiverNumber(`r${frame.receiver}`), outcome);
    if (outcome.slot >= 0) slotOf.set(hexOf(outcome.message.address | (outcome.message.addressNonIcao ? 0x100_0000 : 0)), outcome.slot);
    // An undecided register has no content.
    const { content } = last.transmission!;
    const open = content.register !== 0 && outcome.accepted && outcome.message.commB.register === 0;
    const heard = open ? { ...last.transmission!, content: { ...content, register: 0 } } : last.transmission!;
    observer.hear(heard, { bits, timeMs: Math.floor(timeUs / 1000), receiver: frame.receiver, signal, intact: true });
  });
  const nowMs = START_US / 1000 + SECONDS * 1000;
  const states = new Map([...slotOf].map(([key, slot]) => [key, fold.state(slot, nowMs)]));
  return { observer, states, nowMs };
}

/** A state with one slightly wrong value. */
function spoilt(state: AircraftState, name: keyof AircraftState): AircraftState {
  const value = state[name];
  if (typeof value === 'number') return { ...state, [name]: value + 37 };
  if (typeof value === 'boolean') return { ...state, [name]: !value };
  return { ...state, [name]: typeof value === 'string' ? 'X' : null };
}

describe('the truth of every value', () => {
  test('no value of the fold differs from what was flown and sent without a reason', { timeout: 240_000 }, async () => {
    const report = await verifyAgainstTruth({ aircraft: 50, minutes: 2, seeds: [1] }, () => true);
    expect(report.unexplained, truthText(report)).toBe(0);
    expect(report.compared).toBeGreaterThan(125_000);
    expect(report.registers.named).toBeGreaterThan(500);
    // Nearly every value is exact; reasons explain the rest.
    const explained = report.fields.reduce((sum, field) => sum + field.explained, 0);
    expect(explained / report.compared).toBeLessThan(0.05);
    expect(report.fields.find(({ field }) => field === 'rssi')).toMatchObject({ explained: 0, within: 0 });
  });

  test.each([
    ['an all-call reply of an aircraft that is known from DF 18 alone', { aircraft: 32, seconds: 2, seed: 1, sites: edgeAirports }],
    ['a rate half-way between two steps of a register', { aircraft: 300, seconds: 2, seed: 3 }],
    ['a move of almost 100 m at 88° of latitude', { aircraft: 200, seconds: 18, seed: 2, sites: edgeAirports }],
  ])('holds in a case that once failed: %s', async (_, scenario) => {
    const tally = new TruthTally();
    await runTruth({ ...scenario, channel: truthChannel }, tally, async () => true);
    const { aircraft, seconds, seed } = scenario;
    expect(tally.unexplained, truthText(reportOf({ aircraft, minutes: seconds / 60, seeds: [seed] }, tally))).toBe(0);
    expect(tally.compared).toBeGreaterThan(100);
  });

  test('covers every member of /v2, and detects every wrong value of the state as a difference', () => {
    const { observer, states, nowMs } = watched();
    const [known] = observer.aircraft.values();
    const compared = new Set(observer.expected(known!, nowMs).keys());
    const contract = JSON.parse(readFileSync('schemas/api/openapi.json', 'utf8'));
    const members = Object.keys(contract.components.schemas.Aircraft.properties);
    expect(members.length).toBeGreaterThan(60);
    expect(members.filter((name) => !compared.has(name) && !(name in notFromTheAir))).toEqual([]);

    const unseen = new Set<string>();
    const seen = new Set<string>();
    for (const [key, state] of states) {
      const known = observer.aircraft.get(key)!;
      for (const name of Object.keys(state) as (keyof AircraftState)[]) {
        if (state[name] === null || name === 'hex' || name === 'tickMs') continue;
        const tally = new TruthTally();
        compareAircraft(observer, known, spoilt(state, name), nowMs, tally);
        if (tally.unexplained > 0) seen.add(name);
        else unseen.add(name);
      }
    }
    expect([...unseen].filter((name) => !seen.has(name) && !SELDOM.includes(name))).toEqual([]);
    expect(seen.size).toBeGreaterThan(45);
  });
});
