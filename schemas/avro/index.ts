// All Avro schemas by the name that the topic table uses, with the TypeScript type of each.
import { type AircraftState, aircraftStateSchema } from './aircraft-state.ts';
import { type EndedFlight, endedFlightSchema } from './ended-flight.ts';
import { type FeederRecord, feederRecordSchema } from './feeder-record.ts';
import { type Flight, flightSchema } from './flight.ts';
import { type FlightPlan, flightPlanSchema } from './flight-plan.ts';
import { type FoldProgress, foldProgressSchema } from './fold-progress.ts';
import { type FrameBatch, frameBatchSchema } from './frame-batch.ts';
import { type PositionBatch, positionBatchSchema } from './position-batch.ts';

export interface AvroTypes {
  FrameBatch: FrameBatch;
  PositionBatch: PositionBatch;
  AircraftState: AircraftState;
  FoldProgress: FoldProgress;
  FeederRecord: FeederRecord;
  FlightPlan: FlightPlan;
  Flight: Flight;
  EndedFlight: EndedFlight;
}

export type AvroName = keyof AvroTypes;

export const avroSchemas: Readonly<Record<AvroName, object>> = {
  FrameBatch: frameBatchSchema,
  PositionBatch: positionBatchSchema,
  AircraftState: aircraftStateSchema,
  FoldProgress: foldProgressSchema,
  FeederRecord: feederRecordSchema,
  FlightPlan: flightPlanSchema,
  Flight: flightSchema,
  EndedFlight: endedFlightSchema,
};
