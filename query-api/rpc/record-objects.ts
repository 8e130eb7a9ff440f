// Results of the operations as plain objects: proto JSON, the input of messages, the structured content of tools. A field without a value is absent.
import type { Aircraft, AircraftList, NetworkStatsResponse } from '../../schemas/proto/v1/aircraft_pb.ts';
import { decimalSeconds, type FoundAircraft, type NearbyAircraft, type NetworkStats, sourceTimeS } from './operations.ts';
import { jsonName, type RecordRow, recordFields } from './record-fields.ts';

type Plain<Message> = Omit<Message, '$typeName' | '$unknown'>;

/** An aircraft: `hex`, and what is known. */
export type AircraftRecord = Pick<Plain<Aircraft>, 'hex'> & Partial<Plain<Aircraft>>;
export type AircraftListRecord = Omit<Required<Plain<AircraftList>>, 'aircraft'> & { readonly aircraft: AircraftRecord[] };
export type NetworkStatsRecord = Required<Plain<NetworkStatsResponse>>;

const fields = recordFields.map((field) => ({ ...field, json: jsonName(field.name) }));

/** The rows of results. */
export const rowOf = ({ snapshot, index }: FoundAircraft, distanceNm = Number.NaN): RecordRow => ({
  ...{ listing: snapshot.listing, index, nowMs: snapshot.times.nowMs, distanceNm },
});
export const rowsOf = ({ snapshot, selection: { count, indices, distancesNm } }: NearbyAircraft): RecordRow[] =>
  Array.from({ length: count }, (_, n) => rowOf({ snapshot, index: indices[n]! }, distancesNm![n]!));

export const aircraftRecord = (found: FoundAircraft): AircraftRecord => recordOf(rowOf(found));

export function listRecord(found: NearbyAircraft): AircraftListRecord {
  return { aircraft: rowsOf(found).map(recordOf), total: found.total, sourceTime: sourceTimeS(found.snapshot) };
}

export function statsRecord({ snapshot, servedAtMs }: NetworkStats): NetworkStatsRecord {
  return { aircraftTotal: snapshot.totals.total, sourceTime: sourceTimeS(snapshot), servedAt: decimalSeconds(servedAtMs) };
}

function recordOf(row: RecordRow): AircraftRecord {
  return writeRecord(row, 'json') as AircraftRecord;
}

/** The fields of a row that have a value, under the names of proto JSON (`json`) or of the .proto file (`name`). */
export function writeRecord(row: RecordRow, key: 'json' | 'name'): Record<string, string | number | boolean> {
  const record: Record<string, string | number | boolean> = {};
  for (const field of fields) {
    if (field.kind === 'string') {
      const text = field.text(row);
      if (text !== '') record[field[key]] = text;
      continue;
    }
    const value = field.value(row);
    if (!Number.isNaN(value)) record[field[key]] = field.kind === 'bool' ? value === 1 : value;
  }
  return record;
}
