// Operators and aircraft types: one by its code, and all that fly now.
import { present } from '../../pipeline/flights/airports.ts';
import type { Operator } from '../../pipeline/reference/reference.ts';
import { type ListedText, plainText } from '../../pipeline/view/listing.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { limits } from '../../schemas/limits/index.ts';
import { airAndGround, callsignsOf, operatorsOf, typesOf } from './breakdown.ts';
import { compareText } from './counts.ts';
import { unknownName } from './errors.ts';
import type { FlightIndex } from './flight-index.ts';
import type { ReadModel } from './read-model.ts';

type WithReference = Pick<ReadModel, 'reference'>;

/** The block OPR. An operator without reference data that flies now has only its code. Error: `api.unknown_operator`. */
export function knownOperator({ reference }: WithReference, { listing }: Snapshot, code: string): { icao: string } {
  const operator = reference.operator(code);
  if (operator !== undefined) return operatorBlock(operator);
  const icao = plainText(code);
  if (!listing.by('operator').has(icao)) throw unknownName('api.unknown_operator', 'code', code);
  return { icao };
}

/** Designator and description. Error: `api.unknown_type`. */
export function knownType({ reference }: WithReference, { listing }: Snapshot, designator: string): { t: string; desc?: string } {
  const type = reference.type(designator);
  if (type !== undefined) return { t: type.designator, desc: type.description } as { t: string };
  const t = plainText(designator);
  if (!listing.by('typeDesignator').has(t)) throw unknownName('api.unknown_type', 'code', designator);
  return { t };
}

/** Operators with tracked aircraft: by number of aircraft, descending, then by code. */
export function operatorsNow(model: WithReference, index: FlightIndex): object[] {
  return groups(index, 'operator').map(([code, indices]) => {
    const operator = model.reference.operator(code);
    return {
      ...(operator === undefined ? { icao: code } : { ...operatorBlock(operator), icao: code }),
      aircraft_count: indices.length,
      ...airAndGround(index, indices),
      types: typesOf(model, index, indices, limits.breakdownEntriesMax),
      callsigns: callsignsOf(index, indices).slice(0, limits.breakdownEntriesMax),
    };
  });
}

/** Types of tracked aircraft, in the same order. */
export function typesNow(model: WithReference, index: FlightIndex): object[] {
  return groups(index, 'typeDesignator').map(([code, indices]) => ({
    ...present({ t: code, desc: model.reference.type(code)?.description }),
    aircraft_count: indices.length,
    ...airAndGround(index, indices),
    operators: operatorsOf(model, index, indices, limits.breakdownEntriesMax),
  }));
}

function operatorBlock({ icao, iata, name, callsign, country }: Operator) {
  return present({ icao, iata, name, callsign, country }) as { icao: string };
}

/** Flights by a text; the largest group first, equal ones by text. */
function groups(index: FlightIndex, text: ListedText): (readonly [code: string, indices: readonly number[]])[] {
  const flights = [...index.listing.by(text)].map(([code, indices]) => [code, indices.filter((i) => index.isFlight(i))] as const);
  return flights
    .filter(([, indices]) => indices.length > 0)
    .sort(([a, some], [b, others]) => others.length - some.length || compareText(a, b));
}
