// `squitter audit`: proves that the topics are what the frames topic gives.

import { TICK_MS } from '../fold/worker.ts';
import { openData } from '../log/open-data.ts';
import { defineCommand, EXIT_DONE, EXIT_FAILED } from '../runtime/command.ts';
import { parseCoordinates } from '../runtime/options.ts';
import { createProgress } from '../runtime/progress.ts';
import { audit, type PartitionAudit } from './audit.ts';

export const auditCommand = defineCommand({
  name: 'audit',
  summary: 'fold the frames topic again and prove that the other topics are what it gives',
  words: '',
  wordsMin: 0,
  wordsMax: 0,
  details:
    'Positions are compared record by record and byte by byte; of compacted topics what is still there. Safe while the service runs.\n' +
    'Exit status 1 on any difference. Give the same --receiver as the service had.',
  examples: ['squitter audit', 'squitter audit --data /var/lib/squitter'],
  options: {
    data: { flag: 'data', value: 'DIR', env: 'SQUITTER_DATA', help: 'data folder', fallback: './data' },
    receiver: {
      flag: 'receiver',
      value: 'LAT,LON',
      env: 'SQUITTER_RECEIVER',
      help: 'receiver location that the service was started with',
      fallback: null as { lat: number; lon: number } | null,
      parse: parseCoordinates,
    },
  },
  async run({ options, stdout, stderr, signal }) {
    const { log, codecs } = await openData(options.data, 'read');
    const progress = createProgress(stderr, 'frames', () => Date.now());
    try {
      const partitions = await audit({
        log,
        codecs,
        fold: { tickMs: TICK_MS, receiver: options.receiver },
        onProgress: (done, total, frames) => progress.update(done, total, frames),
        signal,
      });
      progress.end();
      stdout.write(auditReport(partitions));
      return partitions.every(isClean) ? EXIT_DONE : EXIT_FAILED;
    } finally {
      await log.close();
    }
  },
});

function isClean(partition: PartitionAudit): boolean {
  return partition.topics.every((topic) => topic.differenceCount === 0);
}

/** Counts, checksums and the first differences; the last line is the verdict. */
export function auditReport(partitions: readonly PartitionAudit[]): string {
  const lines: string[] = [];
  for (const { partition, frames, frameRecords, positions, aircraft, topics } of partitions) {
    lines.push(
      `partition ${partition}: ${frames} frames in ${frameRecords} records give ${positions} positions, ${aircraft} aircraft at the end`,
    );
    for (const topic of topics) {
      const verdict = topic.differenceCount === 0 ? 'equal' : `${topic.differenceCount} DIFFERENCES`;
      lines.push(
        `  ${topic.topic.padEnd(10)} ${topic.stored} records held of ${topic.expected} written  ${verdict}  sha256 ${topic.storedSha256}`,
      );
      if (topic.differenceCount > 0) lines.push(`  ${''.padEnd(10)} expected sha256 ${topic.expectedSha256}`);
      for (const difference of topic.differences) lines.push(`  ${''.padEnd(10)} ${difference}`);
    }
  }
  const total = (pick: (partition: PartitionAudit) => number): number => partitions.reduce((sum, partition) => sum + pick(partition), 0);
  const differences = total((partition) => partition.topics.reduce((sum, topic) => sum + topic.differenceCount, 0));
  const frames = total((partition) => partition.frames);
  const positions = total((partition) => partition.positions);
  lines.push(
    differences === 0
      ? `audit: equal: ${frames} frames, ${positions} positions, ${partitions.length} partitions`
      : `audit: ${differences} differences: ${frames} frames, ${positions} positions, ${partitions.length} partitions`,
  );
  return `${lines.join('\n')}\n`;
}
