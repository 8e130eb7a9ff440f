// A flight that tests steer: its frames go into a fold one by one, which returns the result of each.
import { createFrameOutcome, type FrameOutcome } from '../../pipeline/fold/frame-outcome.ts';
import { type FoldOptions, PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { altitudeCode13 } from '../../pipeline/simulate/encode/codes.ts';
import { encodeAirVelocity, encodeGroundVelocity } from '../../pipeline/simulate/encode/motion.ts';
import { encodeAllCall, encodeReply } from '../../pipeline/simulate/encode/reply.ts';
import { encodeAirbornePosition, encodeSurfacePosition, type SquitterHeader } from '../../pipeline/simulate/encode/squitter.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';

export const FLIGHT_ADDRESS = 0x3c6586;
export const FLIGHT_START_US = 1_700_000_000_000_000;

export interface Sent {
  /** Flags of packed frames: bits that the receiver repaired, FLAG_MLAT. */
  readonly flags?: number;
  readonly receiver?: string;
  /** Amplitude, 255 is full scale. */
  readonly signal?: number;
}

export class BenchFlight {
  readonly fold: PartitionFold;
  readonly outcome: FrameOutcome = createFrameOutcome();
  readonly header: SquitterHeader = { df: 17, capability: 5, address: FLIGHT_ADDRESS };
  /** Seconds since the start. */
  timeS = 0;
  altitudeFt = 35_000;
  /** Type code of airborne positions: 11 is accurate to 185 m, 18 has no accuracy, 0 no position. */
  typeCode = 11;
  private readonly bytes = new Uint8Array(14);

  constructor(options: Partial<FoldOptions> = {}) {
    this.fold = new PartitionFold({ tickMs: 1000, receiver: null, ...options });
  }

  get nowMs(): number {
    return Math.floor(FLIGHT_START_US / 1000 + this.timeS * 1000);
  }

  airborne(latDeg: number, lonDeg: number, odd: boolean, sent: Sent = {}): FrameOutcome {
    const fixed = { typeCode: this.typeCode, surveillanceStatus: 0, nicB: 0, gillham: false };
    encodeAirbornePosition(this.bytes, this.header, { ...fixed, altitudeFt: this.altitudeFt, odd, latDeg, lonDeg });
    return this.send(14, sent);
  }

  surface(latDeg: number, lonDeg: number, odd: boolean, groundSpeedKt = 12, sent: Sent = {}): FrameOutcome {
    const fixed = { typeCode: 7, trackValid: true, trackDeg: 90, imf: 0 };
    encodeSurfacePosition(this.bytes, this.header, { ...fixed, groundSpeedKt, odd, latDeg, lonDeg });
    return this.send(14, sent);
  }

  velocity(eastKt: number, northKt: number, sent: Sent = {}): FrameOutcome {
    const fixed = { imf: 0, nacV: 2, rateFpm: 0, rateBaro: true, geomDeltaFt: 500 };
    encodeGroundVelocity(this.bytes, this.header, { ...fixed, eastKt, northKt });
    return this.send(14, sent);
  }

  airspeed(headingDeg: number, tasKt: number, sent: Sent = {}): FrameOutcome {
    const fixed = { imf: 0, nacV: 2, rateFpm: 0, rateBaro: true, geomDeltaFt: 500, airspeedTrue: true };
    encodeAirVelocity(this.bytes, this.header, { ...fixed, headingDeg, airspeedKt: tasKt });
    return this.send(14, sent);
  }

  allCall(interrogatorId = 0, sent: Sent = {}): FrameOutcome {
    encodeAllCall(this.bytes, this.header.address, this.header.capability, interrogatorId);
    return this.send(7, sent);
  }

  altitudeReply(altitudeFt: number, sent: Sent = {}): FrameOutcome {
    encodeReply(this.bytes, 4, this.header.address, 0, altitudeCode13(altitudeFt, false), null);
    return this.send(7, sent);
  }

  /** Any frame, 14 or 28 hex digits. */
  frame(hex: string, sent: Sent = {}): FrameOutcome {
    this.bytes.set(Buffer.from(hex, 'hex'));
    return this.send(hex.length === 14 ? 7 : 14, sent);
  }

  state(): AircraftState {
    return this.fold.state(this.outcome.slot, this.nowMs);
  }

  private send(byteLength: 7 | 14, { flags = 0, receiver = 'here', signal = 128 }: Sent): FrameOutcome {
    const timeUs = FLIGHT_START_US + Math.round(this.timeS * 1e6);
    this.fold.advance(timeUs, null);
    this.fold.applyFrame({ bytes: this.bytes, at: 0, byteLength, timeUs, signal, flags }, this.fold.receiverNumber(receiver), this.outcome);
    return this.outcome;
  }
}
