// Traffic with every format: each frame matches the truth, each format occurs, and a fold shows each kind of aircraft correctly.
import { describe, expect, test } from 'vitest';
import { sourceKinds } from '../../schemas/avro/aircraft-state.ts';
import { type CprResult, cprLocalAirborne } from '../decode/cpr.ts';
import { decodeFrame } from '../decode/decode.ts';
import { ABSENT, KIND_COARSE_POSITION, KIND_RESOLUTION, KIND_TEST, KIND_VELOCITY, Message, REJECT_NONE } from '../decode/message.ts';
import { createFrameOutcome } from '../fold/frame-outcome.ts';
import { PartitionFold } from '../fold/partition-fold.ts';
import { distanceM, setPosition } from '../geo/great-circle.ts';
import { vector } from '../geo/vector.ts';
import type { AdvisoryFields } from './encode/advisory.ts';
import type { Identity } from './flights/fleet.ts';
import { advisoryOf, ENCOUNTER, encounterAt, NO_ENCOUNTER } from './rare.ts';
import { isTisb } from './streams.ts';
import { createTraffic, type Truth } from './traffic.ts';

const START_US = 1_700_000_000_000_000;
const message = new Message();
const found: CprResult = { latitudeMicrodeg: 0, longitudeMicrodeg: 0 };
const here = vector();
const there = vector();
const advisory = {} as AdvisoryFields;

/** Content of a rare message that contradicts the truth; empty when they agree. */
function disagreement(truth: Truth, identity: Identity, seconds: number): string {
  switch (message.kind) {
    case KIND_COARSE_POSITION:
      return coarseFault(truth);
    case KIND_RESOLUTION:
      advisoryOf(identity.index, encounterAt(identity.index, seconds), advisory);
      if (encounterAt(identity.index, seconds) === NO_ENCOUNTER) return 'advisory without an encounter';
      return message.resolution.ara === advisory.ara && message.resolution.rat === Number(advisory.ended) ? '' : 'advisory';
    case KIND_TEST:
      return message.testMessage.squawk === (truth.squawk === 0 ? ABSENT : truth.squawk) ? '' : 'squawk';
    case KIND_VELOCITY:
      return message.velocity.nacP === (isTisb(identity) ? identity.nacP : ABSENT) ? '' : 'accuracy';
    default:
      return '';
  }
}

/** The formats of the message by name; `controlField` is its CF, if it has one. */
function formatsOf(controlField: number): string[] {
  const { df, kind, typeCode, subtype, addressNonIcao } = message;
  const squitter = df === 17 || df === 18;
  return [
    `DF ${df}`,
    ...(df === 18 ? [`CF ${controlField}${addressNonIcao ? ' other address' : ''}`] : []),
    ...(squitter && kind !== KIND_COARSE_POSITION ? [`TC ${typeCode}${typeCode >= 23 ? `/${subtype}` : ''}`] : []),
    ...(typeCode === 31 ? [`version ${message.operationalStatus.version}`] : []),
    ...(kind === KIND_RESOLUTION ? [`advisory in DF ${df}`] : []),
  ];
}

function coarseFault(truth: Truth): string {
  const { cprLat, cprLon, odd, altitudeBaroFt, groundSpeedDeciKt, trackCentideg } = message.position;
  cprLocalAirborne(cprLat, cprLon, odd, Math.round(truth.latDeg * 1e6), Math.round(truth.lonDeg * 1e6), found);
  setPosition(truth.latDeg, truth.lonDeg, here);
  setPosition(found.latitudeMicrodeg / 1e6, found.longitudeMicrodeg / 1e6, there);
  // Half a step of 2^-12 of a zone each way.
  if (distanceM(here, there) > 125) return `position off by ${distanceM(here, there)} m`;
  if (Math.abs(altitudeBaroFt - truth.altitudeFt) > 50.1) return 'altitude';
  if (Math.abs(groundSpeedDeciKt / 10 - truth.groundSpeedKt) > 16) return 'speed';
  return Math.abs(((trackCentideg / 100 - truth.trackDeg + 540) % 360) - 180) > 5.7 ? 'track' : '';
}

describe('traffic with every format', () => {
  test('matches the truth; every downlink format, control field and type code occurs', () => {
    const traffic = createTraffic({ aircraft: 240, seed: 7, startUs: START_US, everyFormat: true });
    const wrong = new Set<string>();
    const formats = new Set<string>();
    traffic.advance(START_US + 40e6, (frame, i, sentUs) => {
      decodeFrame(frame.bytes, frame.at, frame.byteLength, message);
      const identity = traffic.fleet[i]!;
      const fault = disagreement(traffic.truth(i, sentUs), identity, (sentUs - START_US) / 1e6);
      if (message.reject !== REJECT_NONE) wrong.add(`rejected ${message.reject}`);
      if (message.address !== identity.address) wrong.add('address');
      if (fault !== '') wrong.add(`${fault}: ${identity.aircraftClass.name}`);
      for (const format of formatsOf(frame.bytes[frame.at]! & 7)) formats.add(format);
    });
    expect([...wrong]).toEqual([]);
    const expected = [
      ...['DF 0', 'DF 4', 'DF 5', 'DF 11', 'DF 16', 'DF 17', 'DF 18', 'DF 20', 'DF 21', 'DF 24'],
      ...['CF 0', 'CF 1 other address', 'CF 2', 'CF 2 other address', 'CF 3', 'CF 3 other address', 'CF 5 other address'],
      ...['CF 6', 'CF 6 other address', 'TC 0', 'TC 4', 'TC 11', 'TC 19', 'TC 20', 'TC 21', 'TC 23/7', 'TC 28/1', 'TC 28/2', 'TC 29/0'],
      ...['TC 29/1', 'TC 31/0', 'TC 31/1', 'version 1', 'version 2', 'advisory in DF 16', 'advisory in DF 17'],
    ];
    expect(expected.filter((format) => !formats.has(format))).toEqual([]);
  });

  test('folds to aircraft of every kind, and the advisories of encounters', () => {
    const traffic = createTraffic({ aircraft: 240, seed: 7, startUs: START_US, everyFormat: true, extraReceptionShare: 0 });
    const fold = new PartitionFold({ tickMs: 1000, receiver: null });
    const receivers = traffic.receivers.map(({ id }) => fold.receiverNumber(String(id)));
    const outcome = createFrameOutcome();
    const slots = new Map<number, number>();
    const endUs = START_US + 40e6;
    traffic.advance(endUs, (frame, i) => {
      fold.advance(frame.timeUs, null);
      fold.applyFrame(frame, receivers[frame.receiver]!, outcome);
      if (outcome.slot >= 0) slots.set(i, outcome.slot);
    });
    const located = new Set<string>();
    const advised: string[] = [];
    for (const [i, slot] of slots) {
      const state = fold.state(slot, endUs / 1000);
      if (state.positionValid) located.add(`${state.hex.startsWith('~') ? '~' : ''}${sourceKinds[state.source]}`);
      if (state.acasRa === null) continue;
      const encounter = encounterAt(i, (state.acasRa.timeMs - START_US / 1000) / 1000);
      const text = encounter === ENCOUNTER ? ((i & 1) === 1 ? 'Descend' : 'Climb') : 'Clear of conflict';
      advised.push(state.acasRa.advisory === text ? 'as sent' : `${state.acasRa.advisory} for ${text}`);
    }
    expect([...located].sort()).toEqual([
      ...['adsb_icao', 'adsb_icao_nt', 'adsr_icao', 'tisb_icao', '~adsb_other', '~adsr_other', '~tisb_other', '~tisb_trackfile'],
    ]);
    expect(advised.length).toBeGreaterThanOrEqual(3);
    expect(new Set(advised)).toEqual(new Set(['as sent']));
  });
});
