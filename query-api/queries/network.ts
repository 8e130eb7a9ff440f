// The network in numbers: totals of a snapshot, and its most frequent types, operators, airports and countries.
import { present } from '../../pipeline/flights/airports.ts';
import type { Listing } from '../../pipeline/view/listing.ts';
import { sourceKinds } from '../../schemas/avro/aircraft-state.ts';
import { limits } from '../../schemas/limits/index.ts';
import { activeAirports } from './airports.ts';
import { airAndGround, operatorsOf, typesOf } from './breakdown.ts';
import { compareText } from './counts.ts';
import type { FlightIndex } from './flight-index.ts';
import type { ReadModel } from './read-model.ts';

/** Totals of a snapshot and its most frequent entries; `messages_per_second` is absent in the first seconds. */
export function networkStatistics(model: Pick<ReadModel, 'reference'>, index: FlightIndex): Record<string, unknown> {
  const { snapshot, listing } = index;
  const { totals } = snapshot;
  const all = Array.from({ length: listing.count }, (_, i) => i);
  return present({
    aircraft_total: totals.total,
    with_position: totals.withPosition,
    ...airAndGround(index, all),
    messages: totals.messages,
    messages_per_second: totals.messagesPerSecond ?? undefined,
    sources: totals.sources,
    types: typesOf(model, index, index.flights, limits.networkEntriesMax),
    operators: operatorsOf(model, index, index.flights, limits.networkEntriesMax),
    airports: activeAirports(index)
      .slice(0, limits.networkEntriesMax)
      .map(({ airport, arrivals, departures }) => ({ code: airport.code, name: airport.airport.name, count: arrivals + departures })),
    countries: aircraftByCountry(model, index)
      .countries.slice(0, limits.networkEntriesMax)
      .map(({ code, name, indices }) => ({ code, name, count: indices.length })),
  });
}

/** Aircraft by country of registration as rows, and those without a country. */
export function countryRows(model: Pick<ReadModel, 'reference'>, index: FlightIndex) {
  const { countries, unknown } = aircraftByCountry(model, index);
  const rows = countries.map(({ code, name, indices }) => ({
    country: code,
    name,
    aircraft_count: indices.length,
    ...airAndGround(index, indices),
  }));
  return { rows, unknown };
}

/** Aircraft by the country of their address block: by number, descending, then by code. Built once per snapshot. */
function aircraftByCountry({ reference }: Pick<ReadModel, 'reference'>, index: FlightIndex) {
  return index.once('countries', () => {
    const countries = new Map<string, { readonly code: string; readonly name: string; readonly indices: number[] }>();
    const { count, columns } = index.listing;
    let unknown = 0;
    for (let i = 0; i < count; i += 1) {
      const country = reference.country(columns.key[i]!);
      if (country === undefined) {
        unknown += 1;
        continue;
      }
      const known = countries.get(country.code);
      if (known === undefined) countries.set(country.code, { ...country, indices: [i] });
      else known.indices.push(i);
    }
    const sorted = [...countries.values()].sort((a, b) => b.indices.length - a.indices.length || compareText(a.code, b.code));
    return { countries: sorted, unknown };
  });
}

/** Aircraft by every kind of source, in the way of readsb. */
export function bySourceKind({ count: aircraft, columns: { source } }: Listing): Record<string, number> {
  const counts = new Array<number>(sourceKinds.length).fill(0);
  for (let i = 0; i < aircraft; i += 1) counts[source[i]!]! += 1;
  return Object.fromEntries(sourceKinds.map((kind, i) => [kind, counts[i]!]));
}
