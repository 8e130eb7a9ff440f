// The flights stage and its readers without a log between: a test supplies states, and gets routes in a live table.
import type { LiveTable } from '../../pipeline/aircraft/table.ts';
import { FlightAirports } from '../../pipeline/flights/airports.ts';
import { FlightTable } from '../../pipeline/flights/follower.ts';
import { type FlightChange, PartitionFlights } from '../../pipeline/flights/partition-flights.ts';
import { PlanBook } from '../../pipeline/flights/plan-book.ts';
import { SampleReader } from '../../pipeline/flights/sample-reader.ts';
import { avroType } from '../../pipeline/log/avro.ts';
import type { Reference } from '../../pipeline/reference/reference.ts';
import { type AircraftState, aircraftStateSchema } from '../../schemas/avro/aircraft-state.ts';
import type { Flight } from '../../schemas/avro/flight.ts';
import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';

const stateType = avroType(aircraftStateSchema);

/** Reads states without the head that records have. */
export const bareCodec = { bodyStart: () => 0, decode: (value: Uint8Array) => stateType.fromBuffer(Buffer.from(value)) as AircraftState };

export class HandFlights {
  readonly book = new PlanBook();
  readonly airports: FlightAirports;
  readonly core: PartitionFlights;
  readonly table: FlightTable;
  /** All changes, in order. */
  readonly changes: FlightChange[] = [];
  private readonly reader = new SampleReader(bareCodec);
  private readonly states = new Map<string, AircraftState>();
  private offset = 0;

  constructor(reference: Reference) {
    this.airports = new FlightAirports(reference);
    this.core = new PartitionFlights({ book: this.book, airports: this.airports, reference });
    this.table = new FlightTable(this.airports, reference);
  }

  /** A tick: these states, the last states of all other aircraft again, and the routes into the table. */
  tick(live: LiveTable, states: readonly AircraftState[], timeMs: number): void {
    for (const state of states) {
      live.applyState(state);
      this.states.set(state.hex, state);
    }
    for (const state of this.states.values()) this.apply({ ...state, tickMs: timeMs });
    this.table.setRoutes(live);
  }

  apply(state: AircraftState): void {
    if (!this.reader.read(stateType.toBuffer(state), (key) => this.core.flightText(key))) throw new Error(`no state: ${state.hex}`);
    this.core.apply(this.reader.sample, this.offset);
    this.offset += 1;
    for (const change of this.core.changes) if (change.topic === 'flights') this.table.put(change.key, change.value, 0);
    this.changes.push(...this.core.changes);
    this.core.changes = [];
  }

  /** Plans that were observed. */
  observed(): FlightPlan[] {
    return this.changes.flatMap(({ topic, value }) => (topic === 'flightplans' ? [value as FlightPlan] : []));
  }

  /** The newest record of an aircraft. */
  flight(hex: string): Flight | null {
    return (this.changes.findLast(({ topic, key }) => topic === 'flights' && key === hex)?.value ?? null) as Flight | null;
  }
}
