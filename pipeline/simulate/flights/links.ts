// Links: how an aircraft is received. Each has the header of its frames, the kind of its address, and its message streams.

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
/** The first of three streams for messages that are rare on the air, in traffic for tests. */
export const STREAM_RARE = 9;
export const STREAMS = 12;

export interface Link {
  /** CF of DF 18; null for DF 17. */
  readonly controlField: number | null;
  /** ICAO/Mode A flag: 1 for a non-ICAO address, where CF leaves that open. */
  readonly imf: number;
  /** True when positions and velocities have the TIS-B layouts. */
  readonly isTisb: boolean;
  /** The aircraft's ICAO address, the number of a ground station's track, or another one. */
  readonly address: 'icao' | 'track' | 'other';
  readonly streams: readonly number[];
}

const motion = [STREAM_POSITION, STREAM_VELOCITY];
export const REPLY_STREAMS = [STREAM_ALL_CALL, STREAM_REPLY];
export const ADSB_STREAMS = [...motion, STREAM_IDENTIFICATION, STREAM_OPERATIONAL, STREAM_EMERGENCY, STREAM_TARGET];
const device = [STREAM_POSITION, STREAM_IDENTIFICATION, STREAM_OPERATIONAL, STREAM_HEARING];
const adsb = { controlField: null, imf: 0, isTisb: false, address: 'icao' } as const;

/** DF 17, DF 11 and replies. */
export const LINK_ADSB: Link = { ...adsb, streams: [...ADSB_STREAMS, ...REPLY_STREAMS, STREAM_HEARING] };
/** DF 11 and replies only. */
export const LINK_MODE_S: Link = { ...adsb, streams: [...REPLY_STREAMS, STREAM_HEARING] };
/** DF 18, CF 0: a device without a transponder. */
export const LINK_NON_TRANSPONDER: Link = { ...adsb, controlField: 0, streams: device };
/** DF 18, CF 1: the same with a non-ICAO address. */
export const LINK_ANONYMOUS: Link = { ...adsb, controlField: 1, address: 'other', streams: device };
/** A Mode S aircraft that ground stations rebroadcast: DF 18, CF 2, in addition to its own replies. */
export const LINK_TISB: Link = {
  ...{ ...adsb, controlField: 2, isTisb: true },
  streams: [...motion, STREAM_IDENTIFICATION, ...REPLY_STREAMS, STREAM_HEARING],
};
/** A track of a ground station's radar: DF 18, CF 5, with an address of the station. */
export const LINK_TISB_TRACK: Link = { ...adsb, controlField: 5, isTisb: true, address: 'track', streams: [...motion, STREAM_HEARING] };
/** Rebroadcast from another link: DF 18, CF 6. */
export const LINK_ADSR: Link = {
  ...{ ...adsb, controlField: 6 },
  streams: [...motion, STREAM_IDENTIFICATION, STREAM_OPERATIONAL, STREAM_HEARING],
};

/** The streams of an aircraft: status messages came with version 1; only version 2 and equipped aircraft send target states. */
export function streamsOf(link: Link, version: number, equipped: boolean): number[] {
  return link.streams.filter((stream) => {
    if (stream === STREAM_OPERATIONAL || stream === STREAM_EMERGENCY) return version > 0;
    return stream !== STREAM_TARGET || (equipped && version === 2);
  });
}
