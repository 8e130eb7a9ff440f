// An aircraft on the fold's bench: a fresh record and the cursor on it, for tests of single rules.
import { SOURCE_ADSB } from '../../pipeline/fold/accept.ts';
import { Aircraft } from '../../pipeline/fold/aircraft.ts';
import { AircraftTable } from '../../pipeline/fold/aircraft-table.ts';
import { W_SEEN } from '../../pipeline/fold/layout.ts';

/** A record without any message yet; the frame at hand is ADS-B of version 2 at time 0, from receiver 1. */
export function benchAircraft(key = 0x3c6586): { table: AircraftTable; aircraft: Aircraft } {
  const table = new AircraftTable();
  const aircraft = new Aircraft(table);
  aircraft.turnTo(table, table.add(key));
  aircraft.source = SOURCE_ADSB;
  aircraft.receiver = 1;
  aircraft.confirmed = true;
  aircraft.version = 2;
  hear(aircraft, 0);
  return { table, aircraft };
}

/** The next frame comes at this time (ms), from this source; a confirmed one marks the aircraft as seen. */
export function hear(aircraft: Aircraft, now: number, source = aircraft.source, confirmed = true): Aircraft {
  aircraft.now = now;
  aircraft.source = source;
  aircraft.confirmed = confirmed;
  if (confirmed) aircraft.words[aircraft.at + W_SEEN] = now;
  return aircraft;
}
