// The history of one feeder: its rows of five minutes in a range of time.
import { FEEDER_DIRECTIONS } from '../../../schemas/avro/feeder-record.ts';
import type { FeederHistoryRow } from '../../../schemas/feeder-history.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { ReadModel } from '../read-model.ts';

const MS_PER_S = 1000;

const RANGES = Array.from({ length: FEEDER_DIRECTIONS }, (_, i) => `range${i}Nm`).join(', ');
const ROWS = `SELECT toUnixTimestamp(time) AS startS, frames, positions, disagreements, aircraft, signalDecidb, [${RANGES}] AS rangeNm
FROM feeder_history FINAL
WHERE feeder = {feeder:String} AND time >= fromUnixTimestamp({from:Int64}) AND time < fromUnixTimestamp({to:Int64})
ORDER BY time
LIMIT {rows:UInt32}`;

/** The rows that begin in [fromMs, toMs), the oldest first, at most `feederRowsMax`. Errors: those of the store. */
export async function feederRows(
  { history }: Pick<ReadModel, 'history'>,
  { feeder, fromMs, toMs }: { readonly feeder: string; readonly fromMs: number; readonly toMs: number },
): Promise<FeederHistoryRow[]> {
  const [from, to] = [Math.ceil(fromMs / MS_PER_S), Math.ceil(toMs / MS_PER_S)];
  const parameters = { feeder, from, to, rows: limits.feederRowsMax };
  type Stored = Omit<FeederHistoryRow, 'timeMs'> & { readonly startS: number };
  const rows = await history.query((client, signal) => client.rows<Stored>(ROWS, parameters, { signal }));
  return rows.map(({ startS, ...row }) => ({ timeMs: startS * MS_PER_S, ...row }));
}
