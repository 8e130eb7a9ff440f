// Changes between snapshots, against brute force: applied to the rows of the previous one they give the rows of the next, without an extra field.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestView } from '../../test/support/live-view.ts';
import { step, World } from '../../test/support/world.ts';
import { changeFields, hasChanged, type SnapshotChanges } from './changes.ts';
import type { Listing } from './listing.ts';
import type { Snapshot } from './snapshot.ts';

type Row = ReadonlyMap<string, unknown>;

/** Every field of an aircraft by name, read without the code under test. */
function fieldsOf(listing: Listing, i: number): Row {
  const { columns, facts, routes, flights, advisories } = listing;
  const special: Record<string, unknown> = {
    ...{ seenMs: listing.seenMs[i], positionMs: listing.positionMs[i], gpsOkMs: listing.gpsOkMs[i], flight: flights[i] },
    acasRa: advisories.get(i) === undefined ? null : String(advisories.get(i)!.words),
  };
  return new Map([
    ['key', columns.key[i]],
    ...changeFields.map((name): [string, unknown] => {
      if (name in special) return [name, special[name]];
      if (name in columns) return [name, columns[name as keyof typeof columns][i]];
      return [name, (facts[i] as Record<string, unknown> | null)?.[name] ?? (routes[i] as Record<string, unknown> | null)?.[name]];
    }),
  ]);
}

function rowsOf({ listing }: Snapshot): Map<number, Row> {
  return new Map(Array.from({ length: listing.count }, (_, i) => [listing.rows[i]!, fieldsOf(listing, i)]));
}

/** The rows of the previous snapshot, updated. */
function apply(before: ReadonlyMap<number, Row>, { listing }: Snapshot, changes: SnapshotChanges): Map<number, Row> {
  const rows = new Map(before);
  changes.removedRows.forEach((row, n) => {
    expect(rows.get(row)?.get('key')).toBe(changes.removedKeys[n]);
    rows.delete(row);
  });
  for (const i of changes.added) {
    expect(rows.has(listing.rows[i]!)).toBe(false);
    rows.set(listing.rows[i]!, fieldsOf(listing, i));
  }
  changes.changed.forEach((i, n) => {
    const row = listing.rows[i]!;
    const now = fieldsOf(listing, i);
    const news = changeFields.filter((name) => hasChanged(changes, n, name));
    expect(news).not.toEqual([]);
    for (const name of news) expect(Object.is(now.get(name), rows.get(row)!.get(name)), name).toBe(false);
    rows.set(row, new Map([...rows.get(row)!, ...news.map((name) => [name, now.get(name)] as const)]));
  });
  return rows;
}

/** An object without its ages, which always grow. */
function shown(snapshot: Snapshot, i: number): object {
  const { seen, seen_pos, lastPosition, ...rest } = JSON.parse(snapshot.text('readsb', { count: 1, indices: Int32Array.of(i) }));
  const { seen_pos: _age, ...position } = lastPosition ?? {};
  return { ...rest, ...position };
}

describe('changes between snapshots', () => {
  test('applied to the previous rows give the current ones, and name no equal field', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const world = await World.create();
        let rows = new Map<number, Row>();
        let objects = new Map<number, object>();
        world.view.onSnapshot((snapshot, find) => {
          const changes = find();
          const { listing } = snapshot;
          rows = apply(rows, snapshot, changes);
          expect(rows).toEqual(rowsOf(snapshot));
          const now = new Map(Array.from({ length: listing.count }, (_, i) => [listing.rows[i]!, shown(snapshot, i)]));
          const news = new Set([...changes.added, ...changes.changed].map((i) => listing.rows[i]!));
          for (const [row, object] of now) if (!news.has(row)) expect(objects.get(row)).toEqual(object);
          objects = now;
        });
        for (const each of steps) world.do(each);
        world.tick();
      }),
      { numRuns: 150 },
    );
  });

  test('are computed once for all listeners, not at all without one, and not after the tick', async () => {
    const view = await createTestView(10);
    const seen: (() => SnapshotChanges)[] = [];
    const off = view.onSnapshot((_, changes) => seen.push(changes));
    view.tick(NOW_MS + 1000);
    view.tick(NOW_MS + 2000);
    view.tick(NOW_MS + 3000);
    expect(seen.length).toBe(3);
    expect(() => seen[0]!()).toThrow(/without a lease/);
    off();
    view.tick(NOW_MS + 4000);
    expect(seen.length).toBe(3);
  });

  test('of a reused row: the previous aircraft is removed, the other one added', async () => {
    const view = await createTestView(3);
    const { hex } = fullState(1);
    const row = view.table.rowOf(hex);
    view.table.remove(hex);
    view.table.applyState(fullState(7));
    expect(view.table.rowOf(fullState(7).hex)).toBe(row);
    let found: object = {};
    view.onSnapshot(({ listing }, changes) => {
      const { added, removedRows, removedKeys, changed } = changes();
      found = {
        added: [...added].map((i) => [listing.rows[i], listing.columns.key[i]]),
        removed: [...removedRows],
        keys: [...removedKeys],
        changed: changed.length,
      };
    });
    view.tick(NOW_MS + 300);
    expect(found).toEqual({
      added: [[row, Number.parseInt(fullState(7).hex, 16)]],
      removed: [row],
      keys: [Number.parseInt(hex, 16)],
      changed: 0,
    });
  });
});
