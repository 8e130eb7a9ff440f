// Metrics of the pipeline in Prometheus' text format.
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';
import { registerFoldMetrics } from './pipeline-metrics.ts';

test('metrics count receivers and never name one', async () => {
  const registry = new Registry();
  registerFoldMetrics(registry, () => ({
    partitions: 1,
    commits: 0,
    commitMs: 0,
    snapshots: 0,
    keptSnapshots: 0,
    unreadableSnapshots: 0,
    gaps: 0,
    takeOvers: 0,
    deadLetters: 0,
    replayedRecords: 0,
    assigned: 0,
    revoked: 0,
    rebalances: 0,
    restores: 0,
    restoreMs: 0,
    lastRestoreMs: 0,
    offsetsRecovered: {},
    lag: [],
    ticksMs: [],
    counts: {
      frames: 70,
      messages: 20,
      positions: 9,
      displaced: 0,
      positionsDropped: 0,
      rejected: rejectReasons.map(() => 0),
      receiversLate: 3,
      feedersContradicted: 2,
    },
    heapBytes: 0,
  }));
  const text = await registry.metrics();
  expect(text).toMatch(/^squitter_fold_receivers_late 3$/m);
  expect(text).toMatch(/^squitter_fold_feeders_contradicted 2$/m);
  expect(text).not.toMatch(/receiver=|feeder=/);
});
