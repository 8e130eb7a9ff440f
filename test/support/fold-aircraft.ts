// An aircraft for tests of single rules of the fold: a fresh record and the cursor on it.
import { SOURCE_ADSB } from '../../pipeline/fold/accept.ts';
import { Aircraft } from '../../pipeline/fold/aircraft.ts';
import { AircraftTable } from '../../pipeline/fold/aircraft-table.ts';
import { W_SEEN } from '../../pipeline/fold/layout.ts';

/** A record without messages; the current frame is ADS-B version 2 at time 0 from receiver 1. */
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

/** Sets time (ms) and source of the next frame; a confirmed one marks the aircraft as seen. */
export function hear(aircraft: Aircraft, now: number, source = aircraft.source, confirmed = true): Aircraft {
  aircraft.now = now;
  aircraft.source = source;
  aircraft.confirmed = confirmed;
  if (confirmed) aircraft.words[aircraft.at + W_SEEN] = now;
  return aircraft;
}
