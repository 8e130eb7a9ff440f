// Folds simulated traffic and compares every value of every aircraft, second by second, with what a perfect observer of the same traffic
// must see.
import { createFrameOutcome } from '../../../pipeline/fold/frame-outcome.ts';
import { PartitionFold } from '../../../pipeline/fold/partition-fold.ts';
import { hexOf } from '../../../pipeline/fold/state.ts';
import type { Airport } from '../../../pipeline/simulate/flights/airports.ts';
import { createTraffic, type Traffic } from '../../../pipeline/simulate/traffic.ts';
import { degreesApart, metresApart } from '../observer/coding.ts';
import type { MessagePosition, MessageValue } from '../observer/message-content.ts';
import { Observer, type Transmission } from '../observer/observer.ts';
import type { ReceivedMessage } from '../observer/received-message.ts';
import { Channel, type ChannelOptions, type Reception } from './channel.ts';
import { compareAircraft } from './compare.ts';
import { rareFormats } from './rare.ts';
import { keepFirst, type TruthTally } from './tally.ts';

export interface TruthScenario {
  readonly aircraft: number;
  readonly seconds: number;
  readonly seed: number;
  /** Airports to fly between; the default ones when absent. */
  readonly sites?: readonly Airport[];
  readonly channel: Omit<ChannelOptions, 'seed'>;
}

const START_US = 1_700_000_000_000_000;
const SECOND_US = 1_000_000;
const TICK_MS = 1000;
/** Half a step, plus a margin for floating-point values on the border of two steps. */
const HALF_STEP = 0.500_001;
const DF_BITS = 5;
/** First bit of the interrogator's code in the parity of a short frame. */
const INTERROGATOR_FROM_BIT = 49;

/** Runs one scenario. `onSecond` is awaited after every second of event time; false ends the run. */
export async function runTruth(scenario: TruthScenario, tally: TruthTally, onSecond: () => Promise<boolean>): Promise<void> {
  const { aircraft, seconds, seed, sites } = scenario;
  const traffic = createTraffic({ aircraft, seed, startUs: START_US, everyFormat: rareFormats, ...(sites === undefined ? {} : { sites }) });
  const run = new TruthRun(traffic, { ...scenario.channel, seed }, tally);
  for (let second = 1; second <= seconds; second += 1) {
    run.advance(START_US + second * SECOND_US);
    if (!(await onSecond())) break;
  }
  run.end();
}

class TruthRun {
  private readonly tally: TruthTally;
  private readonly observer: Observer;
  private readonly channel: Channel<Transmission>;
  private readonly fold = new PartitionFold({ tickMs: TICK_MS, receiver: null });
  private readonly outcome = createFrameOutcome();
  /** Slots of the fold by address, while the fold knows the aircraft. */
  private readonly slots = new Map<string, number>();
  /** All addresses that the fold knew and that the observer heard. */
  private readonly shown = new Set<string>();
  private readonly heard = new Set<string>();
  /** Addresses that occur only in messages without a flag for non-ICAO addresses. */
  private readonly ambiguous = new Map<string, boolean>();

  constructor(traffic: Traffic, channel: ChannelOptions, tally: TruthTally) {
    this.tally = tally;
    this.observer = new Observer(traffic);
    this.channel = new Channel(traffic, channel, {
      sent: (frame, aircraft, sentUs) => this.described(this.observer.transmission(hexOfFrame(frame), aircraft, sentUs)),
      multilaterated: (server, aircraft, atUs) => this.described(this.observer.multilaterated(server, aircraft, atUs)),
    });
  }

  advance(toUs: number): void {
    const { fold, observer, slots, tally } = this;
    this.channel.advance(toUs, (reception) => this.receive(reception));
    fold.advance(toUs, null);
    const nowMs = toUs / 1000;
    observer.forget(nowMs);
    const live = new Set(fold.liveSlots());
    for (const [key, slot] of slots) {
      const known = observer.aircraft.get(key);
      const state = live.has(slot) ? fold.state(slot, nowMs) : null;
      // A free slot may now belong to another aircraft.
      if (state === null || state.hex !== key) this.forget(key, known === undefined);
      else if (known !== undefined) compareAircraft(observer, known, state, nowMs, tally);
      else if (this.heard.has(key)) this.forget(key, false);
    }
  }

  private forget(key: string, isTogether: boolean): void {
    const { aircraft } = this.tally;
    this.slots.delete(key);
    aircraft.forgotten += 1;
    if (isTogether) return;
    aircraft.untimely += 1;
    keepFirst(aircraft.cases, `${key} is forgotten too early or too late`);
  }

  end(): void {
    const { heard, shown, ambiguous, tally } = this;
    const { aircraft } = tally;
    for (const key of heard) {
      aircraft.sent += 1;
      if (shown.has(key)) continue;
      aircraft.neverShown += 1;
      keepFirst(aircraft.cases, `${key} was heard and is not known`);
    }
    for (const key of shown) {
      aircraft.shown += 1;
      if (ambiguous.get(key) === true) aircraft.ambiguous += 1;
      if (heard.has(key)) continue;
      aircraft.nobody += 1;
      keepFirst(aircraft.cases, `${key} is known, but no aircraft has this address`);
    }
  }

  private receive(reception: Reception<Transmission>): void {
    const { fold, outcome, tally, observer } = this;
    const { frame, transmission } = reception;
    const { byteLength, timeUs, signal } = frame;
    tally.frames += 1;
    fold.advance(timeUs, null);
    fold.applyFrame(frame, fold.receiverNumber(reception.receiverId), outcome);
    if (outcome.slot >= 0) {
      const key = hexOf(outcome.message.address | (outcome.message.addressNonIcao ? 0x100_0000 : 0));
      this.slots.set(key, outcome.slot);
      this.shown.add(key);
    }
    const how = receivedAs(reception, byteLength);
    const heard = how === null ? null : { ...transmission, ...how };
    const receiver = fold.receiverNumber(reception.receiverId);
    const content = heard === null ? null : this.register(heard);
    // An interrogator's code in the parity changes the bits.
    const bits = transmission.announced && content?.announced === false ? hexOfFrame(frame) : transmission.bits;
    const isExpected =
      content !== null && observer.hear(content, { bits, timeMs: Math.floor(timeUs / 1000), receiver, signal, intact: content.intact });
    this.compareBelief(reception, isExpected);
  }

  /** Compares whether fold and observer accept the reception as one of its aircraft. */
  private compareBelief({ frame, transmission }: Reception<Transmission>, isExpected: boolean): void {
    const { copies } = this.tally;
    copies.heard += 1;
    if (isExpected) this.heard.add(transmission.key);
    if (isExpected) this.ambiguous.set(transmission.key, transmission.isAmbiguous && (this.ambiguous.get(transmission.key) ?? true));
    if (isExpected === this.outcome.slot >= 0) return;
    copies.differing += 1;
    const hex = hexOfFrame(frame);
    keepFirst(
      copies.cases,
      `${new Date(frame.timeUs / 1000).toISOString()} ${hex} of ${transmission.key}: ${isExpected ? 'not accepted' : 'accepted'}`,
    );
  }

  /** The transmission as the fold may use it: the content of a Comm-B reply is unknown when the fold finds no register. */
  private register<H extends Transmission>(heard: H): H {
    const { outcome, tally } = this;
    const { register } = heard.content;
    if (register === 0 || !outcome.accepted) return heard;
    const found = outcome.message.commB.register;
    const { registers } = tally;
    if (found === (register === 1 ? 0xff : register)) {
      registers.named += 1;
      return heard;
    }
    if (found === 0) registers.open += 1;
    else {
      registers.wrong += 1;
      keepFirst(registers.cases, `${heard.key}: register ${register.toString(16)} was read as ${found.toString(16)}`);
    }
    return { ...heard, content: { ...heard.content, register: 0 } };
  }

  /** Checks that every number in a message is at most half a step from what was flown. */
  private described(transmission: Transmission): Transmission {
    const { coded } = this.tally;
    const { content, register, key } = transmission;
    for (const value of [...content.values, ...register]) {
      if (value.flown === null) continue;
      coded.values += 1;
      if (isCoded(value)) continue;
      coded.wrong += 1;
      keepFirst(coded.cases, `${key}: ${value.name} ${value.value} of ${value.flown}, coded in steps of ${value.step}`);
    }
    if (content.position === null) return transmission;
    coded.values += 1;
    if (isPositionCoded(content.position)) return transmission;
    coded.wrong += 1;
    keepFirst(
      coded.cases,
      `${key}: ${content.position.latDeg} ${content.position.lonDeg} of ${content.position.flownLatDeg} ${content.position.flownLonDeg}`,
    );
    return transmission;
  }
}

function isCoded({ value, flown, step, isAngle }: MessageValue): boolean {
  const apart = isAngle ? degreesApart(Number(value), flown!) : Math.abs(Number(value) - flown!);
  // Compared at the number of decimals that is shown.
  return apart <= HALF_STEP * step + 0.05;
}

function isPositionCoded({ latDeg, lonDeg, flownLatDeg, flownLonDeg, stepM }: MessagePosition): boolean {
  return metresApart(latDeg, lonDeg, flownLatDeg, flownLonDeg) <= HALF_STEP * stepM + 0.2;
}

function hexOfFrame({ bytes, byteLength }: Reception<Transmission>['frame']): string {
  return Buffer.from(bytes.subarray(0, byteLength)).toString('hex');
}

/** Effect of bit errors on a reception: intact, repaired, taken for a reply to an interrogator, or lost (null). */
function receivedAs(
  { wrongBits, transmission }: Reception<Transmission>,
  byteLength: number,
): Pick<ReceivedMessage, 'intact' | 'announced'> | null {
  const { announced, transponder } = transmission;
  if (wrongBits.length === 0) return { intact: true, announced };
  if (!announced) return null;
  if (byteLength === 7 && wrongBits.every((bit) => bit >= INTERROGATOR_FROM_BIT)) return { intact: true, announced: false };
  const isSquitter = byteLength === 14 && transponder;
  const isRepairable = wrongBits.length === 1 && (isSquitter || wrongBits[0]! >= DF_BITS);
  return isRepairable ? { intact: false, announced: true } : null;
}
