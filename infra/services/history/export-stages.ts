// The stages that must have finished a day before it is exported.
import type { StageGroup } from '../../../exporters/daily/whole-day.ts';
import { FLIGHTS_GROUP } from '../../../pipeline/flights/worker.ts';
import { FOLD_GROUP } from '../../../pipeline/fold/version.ts';
import { sinkGroup } from '../../../pipeline/project/sink.ts';

/** For an export from the log. */
export const logStages: readonly StageGroup[] = [
  { group: FOLD_GROUP, topic: 'frames' },
  { group: FLIGHTS_GROUP, topic: 'aircraft' },
];

/** For an export from the history store. */
export const storeStages: readonly StageGroup[] = [
  ...logStages,
  ...(['positions', 'flightsEnded'] as const).map((topic) => ({ group: sinkGroup({ topic }), topic })),
];
