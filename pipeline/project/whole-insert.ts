// A batch in the store, whole and once, however often the store died while it took it.
//
// A store without replicas notes the token of a part before the part itself appears (MergeTreeSink of ClickHouse). Killed in between, it has the token
// without the rows, and confirms every repeat without taking anything. So the rows of a repeated insert are counted, and those that are missing are
// inserted under another token.
import { limits } from '../../schemas/limits/index.ts';
import type { HistoryWriter, OrderedInsert } from './projection.ts';

export type WholeWriter = Pick<HistoryWriter, 'insert' | 'missing'>;

/**
 * Inserts a batch. `isRepeat`: the store may have seen its token before. Returns the number of rows that a confirmation had promised and the store did not have.
 * Errors: those of the writer. After one, insert again with `isRepeat`.
 */
export async function insertWhole(writer: WholeWriter, insert: OrderedInsert, isRepeat: boolean, signal: AbortSignal): Promise<number> {
  await writer.insert(insert, signal);
  if (!isRepeat) return 0;
  let restored = 0;
  for (let again = 1; again <= limits.historyRestoresMax; again += 1) {
    const block = await writer.missing(insert, signal);
    if (block === null) break;
    await writer.insert({ ...insert, token: `${insert.token}+${again}`, block }, signal);
    restored += block.rows;
  }
  return restored;
}
