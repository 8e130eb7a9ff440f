// Metrics of the pipeline in Prometheus' text format.
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';
import { registerFoldMetrics } from './pipeline-metrics.ts';

test('receivers have counts and lateness by name; those heard elsewhere have counts only', async () => {
  const registry = new Registry();
  const counts = { frames: 70, messages: 20, duplicates: 40, positions: 9, disagreements: 3, lateMs: 1450, heardMs: 1_700_000_000_500 };
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
      receivers: [
        { id: 'here', ...counts },
        { id: 'moved', ...counts, lateMs: 0, heardMs: 0 },
      ],
    },
    heapBytes: 0,
  }));
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('squitter_fold_receiver_'));
  expect(lines).toEqual([
    'squitter_fold_receiver_frames_total{receiver="here"} 70',
    'squitter_fold_receiver_frames_total{receiver="moved"} 70',
    'squitter_fold_receiver_messages_total{receiver="here"} 20',
    'squitter_fold_receiver_messages_total{receiver="moved"} 20',
    'squitter_fold_receiver_copies_total{receiver="here"} 40',
    'squitter_fold_receiver_copies_total{receiver="moved"} 40',
    'squitter_fold_receiver_positions_total{receiver="here"} 9',
    'squitter_fold_receiver_positions_total{receiver="moved"} 9',
    'squitter_fold_receiver_disagreements_total{receiver="here"} 3',
    'squitter_fold_receiver_disagreements_total{receiver="moved"} 3',
    'squitter_fold_receiver_late_seconds{receiver="here"} 1.45',
    'squitter_fold_receiver_heard_timestamp_seconds{receiver="here"} 1700000000.5',
  ]);
});
