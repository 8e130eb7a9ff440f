// The block META of decisions G6 as text, followed by more members.
import { type Snapshot, seconds } from '../../pipeline/view/snapshot.ts';

/** `{"now":…,"ctime":…,"ptime":…,"total":n` and the given members; not closed. */
export function metaText({ times }: Snapshot, total: number, members = ''): string {
  const { nowMs, ctimeMs, ptimeMs } = times;
  return `{"now":${seconds(nowMs)},"ctime":${seconds(ctimeMs)},"ptime":${seconds(ptimeMs)},"total":${total}${members}`;
}
