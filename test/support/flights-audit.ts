// The expected output of the flights stage: every aircraft state again through the pure core, compared with the topics record by record.
import { expect } from 'vitest';
import { hexKey } from '../../pipeline/aircraft/hex-key.ts';
import { FlightAirports } from '../../pipeline/flights/airports.ts';
import { PartitionFlights } from '../../pipeline/flights/partition-flights.ts';
import { PlanBook } from '../../pipeline/flights/plan-book.ts';
import { SampleReader } from '../../pipeline/flights/sample-reader.ts';
import { FLIGHTS_GROUP } from '../../pipeline/flights/worker.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { openReference } from '../../pipeline/reference/open-reference.ts';
import type { Reference } from '../../pipeline/reference/reference.ts';
import type { EndedFlight } from '../../schemas/avro/ended-flight.ts';
import type { Flight } from '../../schemas/avro/flight.ts';

/** Expects both topics to contain what the states up to the committed offset give. For logs without filed plans that are not yet compacted. */
export async function auditFlights(log: EventLog, codecs: Codecs): Promise<{ readonly records: number }> {
  const { reference, close } = await openReference({ folder: null, clock: () => 0 });
  let records = 0;
  for (let partition = 0; partition < log.partitions('aircraft'); partition += 1) {
    const found = await writtenFlights(log, codecs, partition);
    expect(sorted(found)).toEqual(sorted(await expectedFlights(log, codecs, partition, reference)));
    records += found.length;
  }
  await close();
  return { records };
}

interface Written {
  readonly topic: string;
  readonly key: string;
  readonly value: Flight | EndedFlight | null;
}

async function expectedFlights(log: EventLog, codecs: Codecs, partition: number, reference: Reference): Promise<Written[]> {
  const core = new PartitionFlights({ book: new PlanBook(), airports: new FlightAirports(reference), reference });
  const reader = new SampleReader(codecs.AircraftState);
  const to = (await log.committed(FLIGHTS_GROUP, 'aircraft', partition)) ?? 0;
  for await (const { records } of log.read({ topic: 'aircraft', partition, from: 'earliest', to }))
    for (const { key, value, offset, timestampMs } of records) {
      if (value === null) core.remove(hexKey(key!), timestampMs, offset);
      else if (reader.read(value, (key) => core.flightText(key))) core.apply(reader.sample, offset);
    }
  return core.changes.flatMap(({ topic, key, value }) =>
    topic === 'flightplans' ? [] : [{ topic, key, value: value as Written['value'] }],
  );
}

async function writtenFlights(log: EventLog, codecs: Codecs, partition: number): Promise<Written[]> {
  const found: Written[] = [];
  for (const topic of ['flights', 'flightsEnded'] as const) {
    const codec = codecs[topic === 'flights' ? 'Flight' : 'EndedFlight'];
    for await (const { records } of log.read({ topic, partition, from: 'earliest', to: 'end' }))
      for (const { key, value } of records) found.push({ topic, key: key!, value: value === null ? null : codec.decode(value) });
  }
  return found;
}

/** Aircraft of one tick may come in any order. */
function sorted(changes: readonly Written[]): Written[] {
  return changes.toSorted((a, b) => `${a.topic} ${a.key}`.localeCompare(`${b.topic} ${b.key}`));
}
