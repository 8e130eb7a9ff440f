// The message streams of an aircraft, and the header of its frames, by its link.
import {
  type Identity,
  LINK_ADSB,
  LINK_ADSR,
  LINK_ADSR_OTHER,
  LINK_ANONYMOUS,
  LINK_MODE_S,
  LINK_NON_TRANSPONDER,
  LINK_TISB,
  LINK_TISB_COARSE,
  LINK_TISB_COARSE_TRACK,
  LINK_TISB_FILE,
  LINK_TISB_TRACK,
} from './flights/fleet.ts';

export const STREAM_POSITION = 0;
export const STREAM_VELOCITY = 1;
export const STREAM_IDENTIFICATION = 2;
export const STREAM_OPERATIONAL = 3;
export const STREAM_TARGET = 4;
export const STREAM_EMERGENCY = 5;
export const STREAM_ALL_CALL = 6;
export const STREAM_REPLY = 7;
/** Sends nothing: updates the receivers that hear the aircraft. */
export const STREAM_HEARING = 8;
/** Messages that are rare on the air, in traffic with every format. */
export const STREAM_RARE = 9;
export const STREAMS = 10;

/** The streams of an aircraft. */
export function streamsOf(identity: Identity): readonly number[] {
  const { link, version, equipped, everyFormat } = identity;
  const position = [STREAM_POSITION, STREAM_VELOCITY, STREAM_IDENTIFICATION];
  const replies = [STREAM_ALL_CALL, STREAM_REPLY];
  const status = version > 0 ? [STREAM_OPERATIONAL, STREAM_EMERGENCY] : [];
  const target = equipped && (version === 2 || (version === 1 && everyFormat)) ? [STREAM_TARGET] : [];
  const rare = everyFormat ? [STREAM_RARE] : [];
  if (link === LINK_ADSB) return [...position, ...status, ...target, ...replies, STREAM_HEARING, ...rare];
  if (link === LINK_MODE_S) return [...replies, STREAM_HEARING];
  if (link === LINK_TISB) return [...position, ...replies, STREAM_HEARING];
  if (link === LINK_TISB_TRACK || link === LINK_TISB_FILE) return [STREAM_POSITION, STREAM_VELOCITY, STREAM_HEARING];
  if (link === LINK_TISB_COARSE) return [STREAM_POSITION, ...replies, STREAM_HEARING];
  if (link === LINK_TISB_COARSE_TRACK) return [STREAM_POSITION, STREAM_HEARING];
  if (link === LINK_ADSR) return [...position, STREAM_OPERATIONAL, STREAM_HEARING];
  if (link === LINK_ADSR_OTHER) return [...position, ...status, ...target, STREAM_HEARING];
  return [STREAM_POSITION, STREAM_IDENTIFICATION, ...(version > 0 ? [STREAM_OPERATIONAL] : []), STREAM_HEARING];
}

/** CF of DF 18 by link; DF 17 for the others. */
export const controlFields: Readonly<Record<number, number>> = {
  [LINK_NON_TRANSPONDER]: 0,
  [LINK_ANONYMOUS]: 1,
  [LINK_TISB]: 2,
  [LINK_TISB_FILE]: 2,
  [LINK_TISB_COARSE]: 3,
  [LINK_TISB_COARSE_TRACK]: 3,
  [LINK_TISB_TRACK]: 5,
  [LINK_ADSR]: 6,
  [LINK_ADSR_OTHER]: 6,
};

/** ICAO/Mode A flag: 1 for a non-ICAO address, where CF leaves that open. */
export function imfOf({ link }: Identity): number {
  return link === LINK_TISB_FILE || link === LINK_TISB_COARSE_TRACK || link === LINK_ADSR_OTHER ? 1 : 0;
}

/** True when positions and velocities have the TIS-B layouts. */
export function isTisb({ link }: Identity): boolean {
  return link === LINK_TISB || link === LINK_TISB_FILE || link === LINK_TISB_TRACK;
}

export function isCoarse({ link }: Identity): boolean {
  return link === LINK_TISB_COARSE || link === LINK_TISB_COARSE_TRACK;
}
