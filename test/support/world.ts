// Aircraft that change at random, for tests of what follows the view: steps of a property test, and the world that takes them.
import fc from 'fast-check';
import type { AircraftFacts } from '../../pipeline/aircraft/facts.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { bareState, CLIMB_ADVISORY, fullState, NOW_MS } from './full-state.ts';
import { createTestView, type TestView } from './live-view.ts';

const numbers = ['altitudeBaroFt', 'groundSpeedDeciKt', 'navModes', 'tatC', 'rcM', 'latitudeMicrodeg', 'positionMs', 'gpsOkMs'] as const;
const n = fc.nat(11);
export const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('state'), n, empty: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      ...{ kind: fc.constant('field'), n, name: fc.constantFrom(...numbers), value: fc.option(fc.integer({ min: 0, max: 3 })) },
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('advisory'), n, df: fc.constantFrom(16, 17) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('flight'), n, flight: fc.constantFrom('KLM1    ', 'DLH2    ') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('route'), n, to: fc.option(fc.constantFrom('AMS', 'LHR')) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('facts'), n, year: fc.constantFrom('1999', '2001') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove'), n }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('tick'), ms: fc.constantFrom(0, 1000, 61_000) }) },
);

export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Twelve aircraft that the steps change. */
export class World {
  readonly view: TestView;
  nowMs = NOW_MS;
  private readonly facts: Map<number, AircraftFacts>;
  private readonly source: { version: number };
  private readonly states = Array.from({ length: 12 }, (_, n) => fullState(n));

  private constructor(view: TestView, facts: Map<number, AircraftFacts>, source: { version: number }) {
    this.view = view;
    this.facts = facts;
    this.source = source;
  }

  static async create(): Promise<World> {
    const facts = new Map<number, AircraftFacts>();
    const source = { version: 0, facts: (key: number) => facts.get(key) ?? null };
    return new World(await createTestView(0, source), facts, source);
  }

  tick(ms = 0): void {
    this.nowMs += ms;
    this.view.tick(this.nowMs);
  }

  do(each: Step): void {
    const { table } = this.view;
    const hex = each.kind === 'tick' ? '' : this.states[each.n]!.hex;
    if (each.kind === 'tick') this.tick(each.ms);
    else if (each.kind === 'state')
      this.put(each.n, each.empty ? bareState(hex, { messages: 5 }) : { ...fullState(each.n), positionMs: this.nowMs });
    else if (each.kind === 'field') this.put(each.n, { [each.name]: each.value });
    else if (each.kind === 'advisory') this.put(each.n, { acasRa: { ...CLIMB_ADVISORY, df: each.df } });
    else if (each.kind === 'flight') this.put(each.n, { flight: each.flight });
    else if (each.kind === 'remove') table.remove(hex);
    else if (each.kind === 'facts') {
      this.facts.set(Number.parseInt(hex, 16), { year: each.year, dbFlags: 0 });
      this.source.version += 1;
    } else if (table.rowOf(hex) >= 0)
      table.putRoute(table.rowOf(hex), each.to === null ? null : { originIata: 'FRA', destinationIata: each.to });
  }

  private put(n: number, change: Partial<AircraftState>): void {
    this.states[n] = { ...this.states[n]!, ...change, seenMs: this.nowMs };
    this.view.table.applyState(this.states[n]);
  }
}
