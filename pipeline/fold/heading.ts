// Headings: the north that a reported one refers to; the true heading from the magnetic one, with the declination at the aircraft's position.
import { ABSENT, type Message } from '../decode/message.ts';
import { angleBetweenCentideg } from '../geo/distance.ts';
import { declinationCentideg } from '../geo/magnetic-model.ts';
import { fieldAge, fieldSource, fieldValue, isValid, put, SOURCE_INDIRECT, SOURCE_NONE } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import {
  B_HEADING_TRUE,
  B_SURFACE_HEADING,
  F_ALTITUDE_BARO,
  F_MAG_HEADING,
  F_POSITION,
  F_TRACK,
  F_TRUE_HEADING,
  X_DECLINATION,
  X_DECLINATION_TIME,
  X_LONGITUDE,
} from './layout.ts';
import { foldWind } from './wind.ts';

/** In this time an airliner flies 5 NM, where the declination differs by some hundredths of a degree. */
const DECLINATION_MS = 30_000;
/** An older position may be 100 NM off, and the declination there a degree different: no heading is derived from it. */
const POSITION_AGE_MS_MAX = 600_000;
/** No wind turns an aircraft this far from its track: the heading or the track is wrong. */
const CRAB_CENTIDEG = 4500;
const DAY_MS = 86_400_000;
const TURN_CENTIDEG = 36_000;

/** Takes the heading of an extended squitter: magnetic unless the operational status says true. */
export function foldHeading(aircraft: Aircraft, headingCentideg: number): void {
  if (aircraft.bytes[aircraft.byte + B_HEADING_TRUE] === 1) put(aircraft, F_TRUE_HEADING, headingCentideg);
  else foldMagneticHeading(aircraft, headingCentideg);
}

/** Takes a magnetic heading (Comm-B is always magnetic), and derives the true one with SOURCE_INDIRECT: a reported true heading stays for 15 s. */
export function foldMagneticHeading(aircraft: Aircraft, headingCentideg: number): void {
  if (!put(aircraft, F_MAG_HEADING, headingCentideg) || !findDeclination(aircraft)) return;
  const trueCentideg = turned(headingCentideg + aircraft.words[aircraft.at + X_DECLINATION]!);
  if (isValid(aircraft, F_TRACK) && angleBetweenCentideg(trueCentideg, fieldValue(aircraft, F_TRACK)) >= CRAB_CENTIDEG) return;
  const { source } = aircraft;
  aircraft.source = SOURCE_INDIRECT;
  const isAccepted = put(aircraft, F_TRUE_HEADING, trueCentideg);
  aircraft.source = source;
  if (isAccepted) foldWind(aircraft);
}

/** Sets the references of later headings and surface angles. */
export function foldReferences(aircraft: Aircraft, message: Message): void {
  const { headingMagnetic, trackNotHeading } = message.operationalStatus;
  const at = aircraft.byte;
  if (headingMagnetic !== ABSENT) aircraft.bytes[at + B_HEADING_TRUE] = headingMagnetic === 0 ? 1 : 0;
  if (trackNotHeading !== ABSENT) aircraft.bytes[at + B_SURFACE_HEADING] = trackNotHeading === 0 ? 1 : 0;
}

/** Updates X_DECLINATION; false when the aircraft's position is unknown. */
function findDeclination(aircraft: Aircraft): boolean {
  const { words, at, now } = aircraft;
  // The age of a late frame may be below 0.
  if (now - words[at + X_DECLINATION_TIME]! < DECLINATION_MS) return true;
  if (fieldSource(aircraft, F_POSITION) === SOURCE_NONE || fieldAge(aircraft, F_POSITION) > POSITION_AGE_MS_MAX) return false;
  const day = Math.floor((aircraft.timeBaseMs + now) / DAY_MS) | 0;
  const altitudeFt = fieldValue(aircraft, F_ALTITUDE_BARO);
  words[at + X_DECLINATION] = declinationCentideg(fieldValue(aircraft, F_POSITION), words[at + X_LONGITUDE]!, altitudeFt, day);
  words[at + X_DECLINATION_TIME] = now;
  return true;
}

/** The angle in 0 to 35999. */
function turned(centideg: number): number {
  if (centideg < 0) return centideg + TURN_CENTIDEG;
  return centideg >= TURN_CENTIDEG ? centideg - TURN_CENTIDEG : centideg;
}
