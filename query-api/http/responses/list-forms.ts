// The three views as envelopes: text before and after the aircraft of a list (decisions part 0 and 2).
import type { View } from '../../../pipeline/aircraft/plain.ts';
import { ENVELOPE_END, type Snapshot } from '../../../pipeline/view/snapshot.ts';

export interface Form {
  /** View of its objects. */
  readonly view: View;
  /** Text up to the first aircraft. `echo`: further members, a comma before each. */
  opening(snapshot: Snapshot, total: number, echo: string): string;
  closing(snapshot: Snapshot, total: number, echo: string): string;
}

/** `/v2`: the interface specification's envelope. */
export const nativeForm: Form = {
  view: 'native',
  opening: (snapshot, total, echo) => snapshot.opening(total, echo),
  closing: () => ENVELOPE_END,
};

/** Time to build the snapshot, ms: the same for all its responses. */
const workMs = ({ times }: Snapshot): number => Math.max(0, Math.round(times.ctimeMs - times.ptimeMs));

/** `/compat/v2`: the aggregators' envelope. Times in whole ms, `ptime` a duration. */
export const compatForm: Form = {
  view: 'readsb',
  opening: () => '{"ac":[',
  closing: (snapshot, total, echo) => {
    const { nowMs, ctimeMs } = snapshot.times;
    const times = `"now":${Math.floor(nowMs)},"total":${total},"ctime":${Math.floor(ctimeMs)},"ptime":${workMs(snapshot)}`;
    return `],"msg":"No error",${times}${echo}}\n`;
  },
};

/** `/re-api/`: readsb's own query interface. */
export const reApiForm: Form = {
  view: 'readsb',
  opening: ({ times }) => `{"now":${(times.nowMs / 1000).toFixed(3)},"aircraft":[`,
  closing: (snapshot, total) => `],"resultCount":${total},"ptime":${workMs(snapshot)}}\n`,
};
