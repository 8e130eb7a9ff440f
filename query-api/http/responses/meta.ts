// The block META of decisions G6 as text, followed by more members.
import { json } from '../../../pipeline/flights/airports.ts';
import { type Snapshot, seconds } from '../../../pipeline/view/snapshot.ts';

/** Members of a response, in their order. */
export type Members = Readonly<Record<string, unknown>>;

/** `{"now":…,"ctime":…,"ptime":…,"total":n` and the given members; not closed. */
export function metaText({ times }: Snapshot, total: number, members: Members = {}): string {
  const { nowMs, ctimeMs, ptimeMs } = times;
  return `{"now":${seconds(nowMs)},"ctime":${seconds(ctimeMs)},"ptime":${seconds(ptimeMs)},"total":${total}${membersText(members)}`;
}

/** The whole body. */
export function metaBody(snapshot: Snapshot, total: number, members: Members): string {
  return `${metaText(snapshot, total, members)}}\n`;
}

/** Members as inside an object, a comma before them. */
export function membersText(members: Members): string {
  const text = json(members);
  return text === '{}' ? '' : `,${text.slice(1, -1)}`;
}
