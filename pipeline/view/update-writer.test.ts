// Updates against whole objects: merged into the object of the earlier snapshot they give the object of the later one, for any two states.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memberFields } from '../../schemas/aircraft-fields.ts';
import { type AircraftState, aircraftStateSchema } from '../../schemas/avro/aircraft-state.ts';
import { aircraftStates, annotations } from '../../test/support/aircraft-states.ts';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import type { AircraftFacts } from '../aircraft/facts.ts';
import type { Annotation } from '../aircraft/plain.ts';
import { LiveTable } from '../aircraft/table.ts';
import { ChangeFinder } from './changes.ts';
import { OBJECT_BYTES } from './render.ts';
import { type Snapshot, SnapshotBuilder } from './snapshot.ts';
import { UpdateWriter, updatePlan, type WriteArea } from './update-writer.ts';

type Plane = Record<string, unknown>;

const members = memberFields.filter(({ from }) => from !== 'query').map(({ member }) => member);
const AGES = ['seen', 'seen_pos', 'lastPosition'];

function area(): WriteArea & { readonly bytes: Buffer } {
  const bytes = Buffer.alloc(2 * OBJECT_BYTES);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
}

function objects(snapshot: Snapshot): Map<string, Plane> {
  const { ac } = JSON.parse(snapshot.body('native').toString()) as { ac: Plane[] };
  return new Map(ac.map((plane) => [plane['hex'] as string, plane]));
}

/** null removes a member. */
function merge(plane: Plane, update: Plane): Plane {
  return Object.fromEntries(Object.entries({ ...plane, ...update }).filter(([, value]) => value !== null));
}

function without(plane: Plane, names: readonly string[]): Plane {
  return Object.fromEntries(Object.entries(plane).filter(([name]) => !names.includes(name)));
}

function only(plane: Plane, wanted: ReadonlySet<string>): Plane {
  return Object.fromEntries(Object.entries(plane).filter(([name]) => name === 'hex' || wanted.has(name)));
}

/** A later state of an aircraft: some of its fields are those of another state. */
const fieldNames = aircraftStateSchema.fields.map(({ name }) => name).filter((name) => name !== 'hex') as (keyof AircraftState)[];
const mixed = fc
  .tuple(aircraftStates, aircraftStates, fc.subarray(fieldNames))
  .map(([one, other, names]) => [one, { ...one, ...Object.fromEntries(names.map((name) => [name, other[name]])) }] as const);
/** Two snapshots of one aircraft, and its update. */
function updateOf(states: readonly AircraftState[], knowns: readonly Annotation[], wanted: ReadonlySet<string> | null) {
  const source = { version: 0, known: null as AircraftFacts | null, facts: () => source.known };
  const table = new LiveTable(source);
  const builder = new SnapshotBuilder(table, () => NOW_MS, 'test');
  const snapshots = states.map((state, n) => {
    source.known = knowns[n]!.facts;
    source.version += 1;
    table.applyState(state);
    table.putRoute(0, knowns[n]!.route);
    const snapshot = builder.build(NOW_MS + 1000 * n, 0);
    snapshot.retain();
    return snapshot;
  });
  const [before, after] = snapshots as [Snapshot, Snapshot];
  const changes = new ChangeFinder().find(before.listing, after.listing);
  const target = area();
  const writer = new UpdateWriter(after.listing, after.times.nowMs, before.listing, target);
  const plan = updatePlan(wanted);
  const written = (from: number, end: number): Plane | null =>
    end === from ? null : (JSON.parse(target.bytes.toString('latin1', from, end)) as Plane);
  return {
    before: [...objects(before).values()][0],
    after: [...objects(after).values()][0],
    update: changes.changed.length === 0 ? null : written(4, writer.putUpdate(4, plan, changes.changed[0]!, 0, changes.masks, 0)),
    whole: after.listing.count === 0 ? null : written(8, writer.putObject(8, plan, 0)),
  };
}

const listed = (state: AircraftState): AircraftState => ({ ...state, messages: Math.max(2, state.messages), seenMs: NOW_MS });

test('an update of all or some members makes the later object out of the earlier one, and has none that did not change, except ages', () => {
  fc.assert(
    fc.property(mixed, annotations, annotations, fc.option(fc.subarray(members)), ([one, other], known, later, names) => {
      const wanted = names === null ? null : new Set(names);
      const { before, after, update, whole } = updateOf([listed(one), listed(other)], [known, later], wanted);
      const [old, now] = [before!, after!].map((plane) => only(plane, wanted ?? new Set(members))) as [Plane, Plane];
      expect(whole).toEqual(now);
      if (update === null) expect(without(old, AGES)).toEqual(without(now, AGES));
      else expect(merge(old, update)).toEqual(now);
      for (const name of Object.keys(without(update ?? {}, [...AGES, 'hex']))) expect(now[name], name).not.toEqual(old[name]);
    }),
    { numRuns: 400 },
  );
});

test('without a changed member of the plan there is no update', () => {
  const state = listed(fullState(1));
  const nothing = { facts: null, route: null };
  const later = { ...state, groundSpeedDeciKt: 4311 };
  expect(updateOf([state, later], [nothing, nothing], new Set(['squawk', 'seen'])).update).toBeNull();
  expect(updateOf([state, later], [nothing, nothing], null).update).toMatchObject({ gs: 431.1, seen: 1 });
});
