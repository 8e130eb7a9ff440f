// Changes between snapshots, against brute force: applied to the rows of the previous one they give the rows of the next, without an extra field.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { step, World } from '../../test/support/world.ts';
import { changeFields, MASK_WORDS, type SnapshotChanges } from './changes.ts';
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

const hasChanged = ({ masks }: SnapshotChanges, n: number, bit: number): boolean =>
  ((masks[n * MASK_WORDS + (bit >> 5)]! >>> (bit & 31)) & 1) === 1;

/** The rows of the previous snapshot, updated. */
function apply(before: ReadonlyMap<number, Row>, { listing }: Snapshot, changes: SnapshotChanges): Map<number, Row> {
  // A row may have another aircraft now, or none.
  const keys = new Map(Array.from({ length: listing.count }, (_, i) => [listing.rows[i]!, listing.columns.key[i]!]));
  const rows = new Map([...before].filter(([row, fields]) => keys.get(row) === fields.get('key')));
  for (const i of changes.added) {
    expect(rows.has(listing.rows[i]!)).toBe(false);
    rows.set(listing.rows[i]!, fieldsOf(listing, i));
  }
  changes.changed.forEach((i, n) => {
    const row = listing.rows[i]!;
    const now = fieldsOf(listing, i);
    const changed = changeFields.filter((_, bit) => hasChanged(changes, n, bit));
    expect(changed).not.toEqual([]);
    for (const name of changed) expect(Object.is(now.get(name), rows.get(row)!.get(name)), name).toBe(false);
    rows.set(row, new Map([...rows.get(row)!, ...changed.map((name) => [name, now.get(name)] as const)]));
  });
  return rows;
}

test('changes applied to the previous rows give the current ones, and name no equal field', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const world = await World.create();
      let rows = new Map<number, Row>();
      world.view.onSnapshot((snapshot, find) => {
        rows = apply(rows, snapshot, find());
        expect(rows).toEqual(rowsOf(snapshot));
      });
      for (const each of steps) world.do(each);
      world.tick();
    }),
    { numRuns: 150 },
  );
});
