// The content of messages that only traffic for tests has.
import { Contents } from '../../../pipeline/simulate/contents.ts';
import type { CoarsePosition } from './coarse.ts';
import type { TargetStateVersion1 } from './target-state.ts';

export const SENT_COARSE_POSITION = 3;
export const SENT_TARGET_VERSION_1 = 9;
export const SENT_TEST = 13;
/** TC 28 subtype 2. */
export const SENT_ADVISORY = 14;
export const SENT_COMM_D = 15;
export const REGISTER_ADVISORY = 0x30;

// Threat of an advisory.
export const THREAT_UNKNOWN = 0;
export const THREAT_ADDRESS = 1;
export const THREAT_POSITION = 2;

export interface AdvisoryFields {
  /** 14 bits; the first of the field is the highest. */
  ara: number;
  /** 4 bits. */
  rac: number;
  ended: boolean;
  multipleThreats: boolean;
  /** THREAT_*; an air-air report has none. */
  threat: number;
  threatAddress: number;
  /** NaN: unknown, as in the next two. */
  threatAltitudeFt: number;
  threatRangeNm: number;
  /** Degrees from the nose. */
  threatBearingDeg: number;
}

export class RareContents extends Contents {
  readonly coarse: CoarsePosition = {
    ...{ imf: 0, surveillanceStatus: 0, serviceVolume: 0, altitudeFt: 0, gillham: false, trackDeg: 0, groundSpeedKt: 0 },
    ...{ odd: false, latDeg: 0, lonDeg: 0 },
  };
  readonly target1: TargetStateVersion1 = {
    ...{ verticalSource: 0, verticalMode: 0, targetAltitudeFt: 0, horizontalSource: 0, horizontalMode: 0, targetHeadingDeg: 0 },
    ...{ track: true, nacP: 0, nicBaro: 1, sil: 0, tcasOff: 0, advisoryActive: 0, emergency: 0 },
  };
  readonly advisory: AdvisoryFields = {
    ...{ ara: 0, rac: 0, ended: false, multipleThreats: false, threat: THREAT_ADDRESS, threatAddress: 0 },
    ...{ threatAltitudeFt: 0, threatRangeNm: 1.2, threatBearingDeg: 39 },
  };
}
