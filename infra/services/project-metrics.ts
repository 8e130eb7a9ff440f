// Prometheus metrics of the project stage, with the same names in every profile.
import { Gauge, type Registry } from 'prom-client';
import { type Labelled, Metrics, type MetricTable } from '../../pipeline/runtime/metrics.ts';
import { topics } from '../../schemas/topics.ts';
import type { PartitionLag } from './lag.ts';
import type { ProjectStats, SinkFigures } from './project-service.ts';

type Pick = (sink: SinkFigures) => number;

/** Exported from the start: `increase()` would miss the first event of a counter that appears with it. */
const TOPICS = [topics.positions.name, topics.flightsEnded.name];
const CODES = ['history.unreachable', 'history.busy', 'history.no_space', 'history.cancelled', 'history.query_failed', 'history.forbidden'];

const byTopic =
  (pick: Pick) =>
  (now: ProjectStats | null): Labelled =>
    now === null ? TOPICS.map((topic) => [topic, 0] as const) : now.sinks.map((sink) => [sink.topic, pick(sink)] as const);

const table: MetricTable<ProjectStats> = [
  ['squitter_project_partitions', 'Partitions that this project stage owns', 'topic', byTopic(({ partitions }) => partitions.length)],
  ['squitter_project_rows_total', 'Rows that the history store confirmed', 'topic', byTopic(({ rows }) => rows)],
  ['squitter_project_batches_total', 'Inserts that the history store confirmed', 'topic', byTopic(({ batches }) => batches)],
  ['squitter_project_bytes_total', 'Bytes of confirmed inserts', 'topic', byTopic(({ bytes }) => bytes)],
  ['squitter_project_insert_seconds_total', 'Total duration of confirmed inserts', 'topic', byTopic(({ insertMs }) => insertMs / 1000)],
  [
    'squitter_project_malformed_total',
    'Records that could not be read and are not in the history',
    'topic',
    byTopic(({ malformed }) => malformed),
  ],
  [
    'squitter_project_restored_total',
    'Rows that the history store had confirmed and, after it was killed, did not have: inserted again',
    'topic',
    byTopic(({ restored }) => restored),
  ],
  [
    'squitter_project_expired_total',
    'Offsets that the topic lost before the history store took them: a gap in the history',
    'topic',
    byTopic(({ expired }) => expired),
  ],
  [
    'squitter_project_rejoins_total',
    'Times that a sink joined its group again after the log refused a read or a commit',
    'topic',
    byTopic(({ rejoins }) => rejoins),
  ],
  [
    'squitter_project_refused',
    '1 while the history store does not take rows',
    'topic',
    byTopic(({ problem }) => (problem === null ? 0 : 1)),
  ],
  ['squitter_project_retries_total', 'Failed inserts, which are repeated, by code of the error', 'code', retries],
];

function retries(now: ProjectStats | null): Labelled {
  const sums = new Map<string, number>(CODES.map((code) => [code, 0]));
  for (const sink of now?.sinks ?? [])
    for (const [code, count] of Object.entries(sink.retries)) sums.set(code, (sums.get(code) ?? 0) + count);
  return [...sums];
}

export function registerProjectMetrics(registry: Registry, newest: () => ProjectStats | null): void {
  new Metrics(registry).table(table, newest);
  const gauge = (name: string, help: string, read: (lag: PartitionLag) => number | null): void => {
    new Gauge({
      name,
      help,
      labelNames: ['partition', 'topic'],
      registers: [registry],
      collect() {
        this.reset();
        for (const { topic, lag } of newest()?.sinks ?? [])
          for (const each of lag) {
            const value = read(each);
            // A stale value would look current.
            if (value !== null) this.set({ partition: String(each.partition), topic }, value);
          }
      },
    });
  };
  gauge('squitter_project_next_offset', 'Offset of the next record that the history store has to confirm', ({ nextOffset }) => nextOffset);
  gauge('squitter_project_lag_records', 'Records that the history store has not confirmed', ({ records }) => records);
  gauge(
    'squitter_project_lag_seconds',
    'Age of the oldest record that the history store has not confirmed; 0 without any',
    ({ seconds }) => seconds,
  );
}
