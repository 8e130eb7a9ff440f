// Data gathered during an import: one set per kind that the files contain, starting from the existing data.
import { militaryBlocks } from '../addresses/military.ts';
import { stateBlocks } from '../addresses/states.ts';
import type { AircraftType, Runway } from '../reference.ts';
import type { PackedTable } from '../store/column-file.ts';
import { AircraftSet } from '../tables/aircraft.ts';
import { AirportSet } from '../tables/airports.ts';
import { type Block, packBlocks } from '../tables/blocks.ts';
import { OperatorSet } from '../tables/operators.ts';
import { RouteSet } from '../tables/routes.ts';
import { packRunways } from '../tables/runways.ts';
import { packTypes, typeOf } from '../tables/types.ts';
import type { Tables } from '../tables.ts';

export interface Gathering {
  aircraft(): AircraftSet;
  routes(): RouteSet;
  airports(): AirportSet;
  runways(): Runway[];
  operators(): OperatorSet;
  types(): TypeVotes;
  blocks(): Block[];
  /** Tables of the kinds in use. */
  packed(): Generator<PackedTable>;
}

/** Merges with previous imports, or with the shipped data if there are none. Runways and address blocks are replaced as a whole. */
export function createGathering(before: Tables): Gathering {
  const aircraft = once(() => new AircraftSet(before.aircraft ?? undefined));
  const routes = once(() => new RouteSet(before.routes ?? undefined));
  const airports = once(() => new AirportSet(Array.from({ length: before.airports.rows }, (_, row) => before.airports.at(row))));
  const runways = once<Runway[]>(() => []);
  const operators = once(() => new OperatorSet(before.operators.values()));
  const types = once(() => new TypeVotes());
  const blocks = once<Block[]>(() => []);
  return {
    aircraft,
    routes,
    airports,
    runways,
    operators,
    types,
    blocks,
    *packed() {
      for (const set of [aircraft, routes, airports, operators]) if (set.made()) yield set().pack();
      if (runways.made()) yield packRunways(runways());
      if (types.made()) yield packTypes(new Map([...before.types, ...types().elected()]));
      // A block of a file has priority over a shipped block of the same size.
      if (blocks.made()) yield packBlocks([...blocks(), ...stateBlocks, ...militaryBlocks]);
    },
  };
}

/** Chooses the name of a type that several manufacturers build under many names: the first name of the manufacturer with the most names. */
class TypeVotes {
  private readonly types = new Map<string, { category: string; readonly models: Map<string, string[]> }>();

  vote(designator: string, manufacturer: string, model: string, category: string): void {
    const type = this.types.get(designator) ?? { category: '', models: new Map<string, string[]>() };
    this.types.set(designator, type);
    if (type.category === '') type.category = category;
    type.models.set(manufacturer, [...(type.models.get(manufacturer) ?? []), model]);
  }

  elected(): Map<string, AircraftType> {
    return new Map(
      [...this.types].map(([designator, { category, models }]) => {
        const [manufacturer, names] = [...models].reduce((most, other) => (other[1].length > most[1].length ? other : most));
        return [designator, typeOf(designator, `${manufacturer.toUpperCase()} ${names[0]}`, category)];
      }),
    );
  }
}

interface Once<T> {
  (): T;
  made(): boolean;
}

/** Creates a value at the first call. `made` says whether that has happened. */
function once<T>(make: () => T): Once<T> {
  let value: T | undefined;
  const get = (): T => {
    value ??= make();
    return value;
  };
  return Object.assign(get, { made: () => value !== undefined });
}
