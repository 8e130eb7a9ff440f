// Positions and ended flights of a day in a real history store, as the project stage writes them.
import type { HistoryClient } from '../../pipeline/store/client.ts';
import type { HandFlight, HandPosition } from './hand-day.ts';

/** A time as ClickHouse reads it. */
const timeText = (timeUs: number): string =>
  `${new Date(Math.floor(timeUs / 1000)).toISOString().slice(0, 23).replace('T', ' ')}${String(timeUs % 1000).padStart(3, '0')}`;

export async function writeStore(client: HistoryClient, positions: readonly HandPosition[], flights: readonly HandFlight[]): Promise<void> {
  const insert = async (table: string, rows: readonly Record<string, unknown>[]): Promise<void> => {
    if (rows.length === 0) return;
    const body = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    await client.insert({ table, columns: Object.keys(rows[0]!), format: 'JSONEachRow', body, token: null });
  };
  await insert(
    'positions',
    positions.map(({ timeUs, ...row }) => ({ time: timeText(timeUs), ...row })),
  );
  await insert(
    'flights',
    flights.map((flight) =>
      Object.fromEntries(
        Object.entries(flight).map(([name, value]) =>
          name.endsWith('Ms') ? [name.slice(0, -2), value === null ? null : timeText(Number(value) * 1000).slice(0, 23)] : [name, value],
        ),
      ),
    ),
  );
}
