// Folds simulated traffic and holds every value of every aircraft, second by second, against what a perfect observer of the same traffic must see.
import { createFrameOutcome } from '../fold/frame-outcome.ts';
import { PartitionFold } from '../fold/partition-fold.ts';
import { hexOf } from '../fold/state.ts';
import { degreesApart, metresApart } from '../observer/coding.ts';
import type { Heard } from '../observer/heard.ts';
import { Observer, type Transmission } from '../observer/observer.ts';
import type { SaidPlace, SaidValue } from '../observer/said.ts';
import { Channel, type ChannelOptions, type Copy } from '../simulate/channel.ts';
import type { Airport } from '../simulate/flights/airports.ts';
import { createTraffic, type Traffic } from '../simulate/traffic.ts';
import { compareAircraft } from './truth-compare.ts';
import { keepFirst, type TruthTally } from './truth-tally.ts';

export interface TruthScenario {
  readonly aircraft: number;
  readonly seconds: number;
  readonly seed: number;
  /** Airports to fly between; the usual ones where not given. */
  readonly sites?: readonly Airport[];
  readonly channel: Omit<ChannelOptions, 'seed'>;
}

const START_US = 1_700_000_000_000_000;
const SECOND_US = 1_000_000;
const TICK_MS = 1000;
/** Codes of floating-point numbers that lie on the border of two steps. */
const HALF_STEP = 0.500_001;
const DF_BITS = 5;
/** Of a short frame, the bits of the interrogator's code in its parity. */
const INTERROGATOR_FROM_BIT = 49;

/** Runs one scenario. `onSecond` is awaited after every second of event time; false ends the run. */
export async function runTruth(scenario: TruthScenario, tally: TruthTally, onSecond: () => Promise<boolean>): Promise<void> {
  const { aircraft, seconds, seed, sites } = scenario;
  const traffic = createTraffic({ aircraft, seed, startUs: START_US, everyFormat: true, ...(sites === undefined ? {} : { sites }) });
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
  /** Slots of the fold by address, while it knows the aircraft. */
  private readonly slots = new Map<string, number>();
  /** All addresses that the fold knew, and that the observer heard. */
  private readonly shown = new Set<string>();
  private readonly heard = new Set<string>();
  /** Addresses whose every message has no room to say that they are not ICAO's. */
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
    this.channel.advance(toUs, (copy) => this.receive(copy));
    fold.advance(toUs, null);
    const nowMs = toUs / 1000;
    observer.forget(nowMs);
    const live = new Set(fold.slots());
    for (const [key, slot] of slots) {
      const known = observer.aircraft.get(key);
      const state = live.has(slot) ? fold.state(slot, nowMs) : null;
      // A slot that became free may be another aircraft's.
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
    keepFirst(aircraft.cases, `${key} is forgotten earlier or later than it must be`);
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
      keepFirst(aircraft.cases, `${key} is known, and nobody has this address`);
    }
  }

  private receive(copy: Copy<Transmission>): void {
    const { fold, outcome, tally, observer } = this;
    const { frame, transmission } = copy;
    const { bytes, at, byteLength, timeUs, signal, flags } = frame;
    tally.frames += 1;
    fold.advance(timeUs, null);
    fold.applyFrame(bytes, at, byteLength, timeUs, signal, flags, fold.receiverNumber(copy.receiverId), outcome);
    if (outcome.slot >= 0) {
      const key = hexOf(outcome.message.address | (outcome.message.addressNonIcao ? 0x100_0000 : 0));
      this.slots.set(key, outcome.slot);
      this.shown.add(key);
    }
    const how = receivedAs(copy, byteLength);
    const heard = how === null ? null : { ...transmission, ...how };
    const receiver = fold.receiverNumber(copy.receiverId);
    const said = heard === null ? null : this.register(heard);
    // Parity that an interrogator's code seems to overlay makes other bits of it.
    const bits = transmission.announced && said?.announced === false ? hexOfFrame(frame) : transmission.bits;
    const believed =
      said !== null && observer.hear(said, { bits, timeMs: Math.floor(timeUs / 1000), receiver, signal, intact: said.intact });
    this.compareBelief(copy, believed);
  }

  /** Whether fold and observer both take the copy to be of its aircraft. */
  private compareBelief({ frame, transmission }: Copy<Transmission>, believed: boolean): void {
    const { copies } = this.tally;
    copies.heard += 1;
    if (believed) this.heard.add(transmission.key);
    if (believed) this.ambiguous.set(transmission.key, transmission.isAmbiguous && (this.ambiguous.get(transmission.key) ?? true));
    if (believed === this.outcome.slot >= 0) return;
    copies.differing += 1;
    const hex = hexOfFrame(frame);
    keepFirst(
      copies.cases,
      `${new Date(frame.timeUs / 1000).toISOString()} ${hex} of ${transmission.key}: ${believed ? 'not taken' : 'taken'}`,
    );
  }

  /** The transmission as the fold may use it: where it finds no register in a Comm-B reply, what stands in it is not known. */
  private register<H extends Transmission>(heard: H): H {
    const { outcome, tally } = this;
    const { register } = heard.said;
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
      keepFirst(registers.cases, `${heard.key}: register ${register.toString(16)} was taken for ${found.toString(16)}`);
    }
    return { ...heard, said: { ...heard.said, register: 0 } };
  }

  /** Every number that a message carries is at most half a step from what was flown. */
  private described(transmission: Transmission): Transmission {
    const { coded } = this.tally;
    const { said, register, key } = transmission;
    for (const value of [...said.values, ...register]) {
      if (value.flown === null) continue;
      coded.values += 1;
      if (isCoded(value)) continue;
      coded.wrong += 1;
      keepFirst(coded.cases, `${key}: ${value.name} ${value.value} of ${value.flown}, coded in steps of ${value.step}`);
    }
    if (said.place === null) return transmission;
    coded.values += 1;
    if (isPlaceCoded(said.place)) return transmission;
    coded.wrong += 1;
    keepFirst(coded.cases, `${key}: ${said.place.latDeg} ${said.place.lonDeg} of ${said.place.flownLatDeg} ${said.place.flownLonDeg}`);
    return transmission;
  }
}

function isCoded({ value, flown, step, isAngle }: SaidValue): boolean {
  const apart = isAngle ? degreesApart(Number(value), flown!) : Math.abs(Number(value) - flown!);
  // Shown with as few decimals as it is.
  return apart <= HALF_STEP * step + 0.05;
}

function isPlaceCoded({ latDeg, lonDeg, flownLatDeg, flownLonDeg, stepM }: SaidPlace): boolean {
  return metresApart(latDeg, lonDeg, flownLatDeg, flownLonDeg) <= HALF_STEP * stepM + 0.2;
}

function hexOfFrame({ bytes, byteLength }: Copy<Transmission>['frame']): string {
  return Buffer.from(bytes.subarray(0, byteLength)).toString('hex');
}

/** What bit errors leave of a copy: it is intact, repaired, taken for an answer to an interrogator, or lost (null). */
function receivedAs({ wrongBits, transmission }: Copy<Transmission>, byteLength: number): Pick<Heard, 'intact' | 'announced'> | null {
  const { announced, transponder } = transmission;
  if (wrongBits.length === 0) return { intact: true, announced };
  if (!announced) return null;
  if (byteLength === 7 && wrongBits.every((bit) => bit >= INTERROGATOR_FROM_BIT)) return { intact: true, announced: false };
  const isSquitter = byteLength === 14 && transponder;
  const isRepairable = wrongBits.length === 1 && (isSquitter || wrongBits[0]! >= DF_BITS);
  return isRepairable ? { intact: false, announced: true } : null;
}
