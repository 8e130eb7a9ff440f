// Ended flights to rows of the table `flights`: its columns are the fields of EndedFlight, times without `Ms`.
import type { EndedFlight } from '../../schemas/avro/ended-flight.ts';
import { flights } from '../../schemas/clickhouse/tables.ts';
import { hexKey } from '../aircraft/hex-key.ts';
import type { TopicCodec } from '../log/codec.ts';
import type { StoredRecord } from '../log/event-log.ts';
import type { Projection } from './projection.ts';

type Cell = (flight: EndedFlight, partition: number, offset: number) => number | string | null;

/** Columns that are not a field of that name. */
const OTHER_CELLS: Readonly<Record<string, Cell>> = {
  icao24: ({ hex }) => hexKey(hex),
  partition: (_, partition) => partition,
  recordOffset: (_, _partition, offset) => offset,
};

const cells: readonly Cell[] = flights.columns.map(({ name, type }) => {
  const other = OTHER_CELLS[name];
  if (other !== undefined) return other;
  const field = (type.includes('DateTime64') ? `${name}Ms` : name) as keyof EndedFlight;
  return (flight) => flight[field];
});

export function flightProjection(codec: TopicCodec<EndedFlight>): Projection {
  return {
    topic: 'flightsEnded',
    table: flights.name,
    columns: flights.columns,
    order: ['recordOffset'],
    time: { column: 'ended', from: 'fromUnixTimestamp64Milli', to: 'toUnixTimestamp64Milli', perMs: 1 },
    add(block, partition, record) {
      const flight = readable(codec, record);
      if (flight === null) return false;
      block.columns.forEach((column, i) => {
        column.add(cells[i]!(flight, partition, record.offset));
      });
      return true;
    },
  };
}

/** Null also for an address that is none: it has no place in the table. */
function readable(codec: TopicCodec<EndedFlight>, { value }: StoredRecord): EndedFlight | null {
  if (value === null) return null;
  try {
    const flight = codec.decode(value);
    return hexKey(flight.hex) < 0 ? null : flight;
  } catch {
    return null;
  }
}
