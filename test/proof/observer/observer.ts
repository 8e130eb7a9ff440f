// A perfect observer of simulated traffic. It gets the content of every transmission and its receptions, and computes what each aircraft
// must be shown as. It shares no code with decode/ and fold/: what both agree on is right, or wrong twice in the same way.

import { SENT_ALL_CALL, SENT_IDENTIFICATION, SENT_NOTHING, SENT_REPLY } from '../../../pipeline/simulate/contents.ts';
import type { Identity } from '../../../pipeline/simulate/flights/fleet.ts';
import type { Traffic } from '../../../pipeline/simulate/traffic.ts';
import type { MultilaterationServer } from '../simulated/multilateration.ts';
import { type RareContents, SENT_ADVISORY, SENT_COMM_D, SENT_TEST } from '../simulated/rare-contents.ts';
import { declinationAt, truthOf } from './flown.ts';
import { type Computed, type Rank, rank } from './known.ts';
import type { Layer } from './layer.ts';
import { contentOf, type MessageValue, registerContentOf, type Value } from './message-content.ts';
import { ObservedAircraft } from './observed-aircraft.ts';
import { LearntReceivers, type PositionMove } from './positions.ts';
import { type ReceivedMessage, type Rule, rules } from './received-message.ts';

/** A transmission, before reception. */
export interface Transmission
  extends Pick<
    ReceivedMessage,
    'transmission' | 'bits' | 'source' | 'kind' | 'addressed' | 'announced' | 'transponder' | 'content' | 'version' | 'aircraft'
  > {
  readonly key: string;
  readonly register: readonly MessageValue[];
  readonly sentMs: number;
  /** The format has no flag that would mark the address as non-ICAO. */
  readonly isAmbiguous: boolean;
}

/** Expected value of a field. */
export interface Expected {
  /** By source and time alone; undefined for none. */
  readonly ideal: Value | undefined;
  /** With the rules that delay values. */
  readonly ruled: Value | undefined;
  readonly rule: Rule | null;
}

const KIND_OF_CF = ['adsb_icao_nt', 'adsb_other', 'tisb_icao', 'tisb_icao', '', 'tisb_other', 'adsr_icao'];
const KIND_OF_CF_IMF = ['', '', 'tisb_trackfile', 'tisb_trackfile', '', '', 'adsr_other'];
/** Squitters whose format has no ICAO/Mode A flag. */
const WITHOUT_IMF = [SENT_IDENTIFICATION, SENT_ADVISORY, SENT_TEST];

const POSITION_MS = 60_000;
/** Time from the last message until an aircraft is forgotten: without a position, with a non-ICAO address, others. */
const FORGET_WITHOUT_POSITION_MS = 300_000;
const FORGET_OTHER_MS = 1_800_000;
const FORGET_MS = 3_600_000;
const FIELDS = (
  'alt_geom gs ias tas mach track track_rate roll mag_heading true_heading baro_rate geom_rate squawk emergency nav_qnh nav_altitude_mcp ' +
  'nav_altitude_fms nav_heading nav_modes nic_baro nac_p nac_v sil gva sda alert spi flight acas_ra'
).split(' ');

/** Names in the lists `mlat` and `tisb`, and their fields. */
const LISTED = (
  'callsign altitude alt_geom gs ias tas mach track track_rate roll mag_heading true_heading baro_rate geom_rate squawk emergency nav_qnh ' +
  'nav_altitude_mcp nav_altitude_fms nav_heading nav_modes lat lon nic rc nic_baro nac_p nac_v sil sil_type gva sda'
).split(' ');
const BEHIND: Readonly<Record<string, string>> = { callsign: 'flight', altitude: 'alt_baro', sil_type: 'sil' };

export class Observer {
  readonly aircraft = new Map<string, ObservedAircraft>();
  readonly traffic: Traffic;
  private readonly learnt = new LearntReceivers();
  private transmissions = 0;

  constructor(traffic: Traffic) {
    this.traffic = traffic;
  }

  /** The transmission whose first reception `traffic` is emitting; `bits` are those of its frame. */
  transmission(bits: string, aircraft: number, sentUs: number): Transmission {
    const { fleet } = this.traffic;
    const sent = this.traffic.sent as RareContents;
    const identity = fleet[aircraft]!;
    this.transmissions += 1;
    const isNamed = sent.kind === SENT_IDENTIFICATION || sent.kind === SENT_REPLY;
    const flight = isNamed ? truthOf(this.traffic, aircraft, sentUs).flight : '';
    const content = contentOf(sent, flight);
    const register = content.register === 0 ? [] : registerContentOf(sent, flight);
    const address = identity.address.toString(16).padStart(6, '0');
    const isReply = sent.kind === SENT_REPLY || sent.kind === SENT_COMM_D;
    const common = { transmission: this.transmissions, bits, content, register, aircraft, sentMs: sentUs / 1000 };
    if (isReply || sent.kind === SENT_ALL_CALL || sent.kind === SENT_NOTHING) {
      const source = isReply ? rank.reply : rank.allCall;
      const held = { addressed: !isReply, announced: !isReply, transponder: true };
      return { ...common, ...held, source, kind: 'mode_s', version: null, key: address, isAmbiguous: false };
    }
    const { cf, isOther, isAmbiguous } = headerOf(identity, sent.kind);
    const kind = cf === null ? 'adsb_icao' : (isOther && identity.link.imf === 1 ? KIND_OF_CF_IMF : KIND_OF_CF)[cf]!;
    return {
      ...{ ...common, source: sourceOf(kind), kind, addressed: true, announced: true, transponder: cf === null, isAmbiguous },
      ...{ version: kind.startsWith('tisb') ? null : identity.version, key: isOther ? `~${address}` : address },
    };
  }

  /** A multilateration server's current message about an aircraft: its own estimate. */
  multilaterated({ sent, bytes }: MultilaterationServer, aircraft: number, atUs: number): Transmission {
    this.transmissions += 1;
    const key = this.traffic.fleet[aircraft]!.address.toString(16).padStart(6, '0');
    return {
      ...{
        transmission: this.transmissions,
        bits: Buffer.from(bytes).toString('hex'),
        content: contentOf(sent, ''),
        register: [],
        aircraft,
        sentMs: atUs / 1000,
        key,
      },
      ...{ source: rank.mlat, kind: 'mlat', addressed: true, announced: true, transponder: false, version: null, isAmbiguous: false },
    };
  }

  /** Processes a reception. False when it is not accepted as one of an aircraft. */
  hear(transmission: Transmission, reception: Pick<ReceivedMessage, 'bits' | 'timeMs' | 'receiver' | 'signal' | 'intact'>): boolean {
    let aircraft = this.aircraft.get(transmission.key);
    if (aircraft === undefined) {
      if (!transmission.announced || !reception.intact) return false;
      aircraft = new ObservedAircraft(this.learnt, (...position) => declinationAt(this.traffic, ...position));
      this.aircraft.set(transmission.key, aircraft);
    }
    return aircraft.hear({ ...transmission, ...reception });
  }

  /** Forgets aircraft that were not heard for long: with the next message an aircraft starts again. */
  forget(nowMs: number): void {
    for (const [key, { seenMs, positions }] of this.aircraft) {
      const memoryMs = positions.shown === null ? FORGET_WITHOUT_POSITION_MS : key.startsWith('~') ? FORGET_OTHER_MS : FORGET_MS;
      if (nowMs - seenMs > memoryMs) this.aircraft.delete(key);
    }
  }

  /** Expected value of every field of an aircraft. Names are those of the aircraft object; `position` stands for both coordinates. */
  expected(aircraft: ObservedAircraft, nowMs: number): Map<string, Expected> {
    const { ideal, ruled, held } = aircraft;
    const all = new Map<string, Expected>();
    const both = (
      name: string,
      idealValue: Value | undefined,
      ruledValue: Value | undefined,
      rule: Rule | null = held.get(name) ?? null,
    ): void => {
      all.set(name, { ideal: idealValue, ruled: ruledValue, rule });
    };
    const one = (name: string, value: Value | undefined): void => both(name, value, value, null);
    for (const name of FIELDS) both(name, ideal.at(name, nowMs)?.value, ruled.at(name, nowMs)?.value);
    const groundIdeal = ideal.at('air_ground', nowMs)?.value;
    const groundRuled = ruled.at('air_ground', nowMs)?.value;
    const groundRule = held.get('air_ground') ?? null;
    both('on_ground', onGround(groundIdeal), onGround(groundRuled), groundRule);
    const altitude = aircraft.isAltitudeTrusted(nowMs) ? ruled.at('alt_baro', nowMs)?.value : undefined;
    both(
      'alt_baro',
      groundIdeal === 'ground' ? 'ground' : ideal.at('alt_baro', nowMs)?.value,
      groundRuled === 'ground' ? 'ground' : altitude,
      held.get('alt_baro') ?? groundRule,
    );
    const silIdeal = ideal.at('sil', nowMs) === undefined ? undefined : (aircraft.idealSilType ?? undefined);
    both('sil_type', silIdeal, ruled.at('sil', nowMs) === undefined ? undefined : (aircraft.silType ?? undefined));
    one('category', aircraft.category ?? undefined);
    one('type', aircraft.kinds.kind ?? undefined);
    both(
      'version',
      aircraft.kinds.version === null ? undefined : this.versionOf(aircraft),
      aircraft.kinds.version ?? undefined,
      rules.version,
    );
    both('messages', aircraft.heardMessages, aircraft.messages);
    both('seen', aircraft.heardMs, aircraft.seenMs);
    one('rssi', aircraft.levels.rssi);
    // Simulated GNSS does not fail.
    one('gpsOkBefore', undefined);
    this.expectPosition(aircraft, nowMs, both);
    this.expectComputed(aircraft, nowMs, both);
    for (const [name, source] of [
      ['mlat', rank.mlat],
      ['tisb', rank.tisb],
    ] as const)
      both(name, listOf(aircraft, ideal, source, nowMs, true), listOf(aircraft, ruled, source, nowMs, false), rules.unproven);
    return all;
  }

  private versionOf({ aircraft, kinds }: ObservedAircraft): number {
    return this.traffic.fleet[aircraft]?.version ?? kinds.version!;
  }

  private expectPosition(aircraft: ObservedAircraft, nowMs: number, both: Both): void {
    const { shown, move, roundedMove } = aircraft.positions;
    const { idealPosition, held } = aircraft;
    const lives = <P extends { timeMs: number }>(position: P | null): position is P =>
      position !== null && nowMs - position.timeMs <= POSITION_MS;
    const text = (position: { latDeg: number; lonDeg: number } | null): string | undefined =>
      lives(position as never) ? `${position!.latDeg} ${position!.lonDeg}` : undefined;
    both('position', text(idealPosition), text(shown), rules.unproven);
    both('seen_pos', lives(idealPosition) ? idealPosition.timeMs : undefined, lives(shown) ? shown.timeMs : undefined, rules.unproven);
    both('nic', lives(shown) ? shown.nic : undefined, lives(shown) ? shown.nic : undefined, null);
    both('rc', lives(shown) ? shown.rcM : undefined, lives(shown) ? shown.rcM : undefined, null);
    both(
      'lastPosition',
      shown !== null && !lives(shown) ? 'shown' : undefined,
      shown !== null && !lives(shown) ? 'shown' : undefined,
      null,
    );
    const isGround = aircraft.ruled.at('air_ground', nowMs)?.value === 'ground';
    const isCalculated = aircraft.ruled.at('track', nowMs) === undefined && lives(shown) && !isGround;
    const trackOf = (by: PositionMove | null): number | undefined => (isCalculated && by !== null ? Math.round(by.deg) % 360 : undefined);
    both('calc_track', trackOf(move), trackOf(roundedMove), held.get('track') ?? null);
  }

  private expectComputed({ ideal, ruled, held }: ObservedAircraft, nowMs: number, both: Both): void {
    const windOf = (layer: Layer): Computed | null => {
      const { wind } = layer;
      if (wind === null || nowMs - wind.timeMs > POSITION_MS) return null;
      return Math.abs(layer.number('alt_baro') - wind.altitudeFt) < 500 ? wind : null;
    };
    const temperatureOf = (layer: Layer): Computed | null =>
      layer.temperature !== null && nowMs - layer.temperature.timeMs <= POSITION_MS ? layer.temperature : null;
    const rule = held.get('tas') ?? held.get('gs') ?? held.get('track') ?? held.get('true_heading') ?? null;
    both('wd', windOf(ideal)?.first, windOf(ruled)?.first, rule);
    both('ws', windOf(ideal)?.second, windOf(ruled)?.second, rule);
    both('oat', temperatureOf(ideal)?.first, temperatureOf(ruled)?.first, held.get('tas') ?? held.get('mach') ?? null);
    both('tat', temperatureOf(ideal)?.second, temperatureOf(ruled)?.second, held.get('tas') ?? held.get('mach') ?? null);
  }
}

type Both = (name: string, ideal: Value | undefined, ruled: Value | undefined, rule?: Rule | null) => void;

function onGround(value: Value | undefined): Value | undefined {
  return value === 'ground' ? 'true' : value === 'airborne' ? 'false' : undefined;
}

function headerOf(identity: Identity, kind: number): { cf: number | null; isOther: boolean; isAmbiguous: boolean } {
  const { controlField: cf, imf } = identity.link;
  const flagged = imf === 1;
  const isAmbiguous = flagged && WITHOUT_IMF.includes(kind);
  return { cf, isOther: cf === 1 || cf === 5 || (flagged && !isAmbiguous), isAmbiguous };
}

function sourceOf(kind: string): Rank {
  if (kind.startsWith('tisb')) return rank.tisb;
  return kind.startsWith('adsr') ? rank.adsr : rank.adsb;
}

function listOf(aircraft: ObservedAircraft, layer: Layer, source: Rank, nowMs: number, ideal: boolean): string {
  const position = ideal ? aircraft.idealPosition : aircraft.positions.shown;
  const hasPosition = position !== null && position.source === source && nowMs - position.timeMs <= POSITION_MS;
  return LISTED.filter((name) => {
    if (name === 'lat' || name === 'lon' || name === 'nic' || name === 'rc') return hasPosition;
    return layer.at(BEHIND[name] ?? name, nowMs)?.source === source;
  }).join(' ');
}
