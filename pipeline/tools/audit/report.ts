// The report of an audit: counts, checksums, the first differences, and the verdict as its last line.
import { FOLD_VERSION } from '../../fold/version.ts';
import type { Audit } from './audit.ts';
import type { TopicAudit } from './topic.ts';

const DETAIL = ' '.repeat(13);

type NotCompared = NonNullable<Audit['partitions'][number]['notCompared']>;

export function differencesOf({ partitions, deadLetters }: Audit): number {
  return partitions.flatMap(({ topics }) => topics).reduce((sum, topic) => sum + topic.differenceCount, deadLetters.differenceCount);
}

/** The last line is the verdict. `damages` is the number of unreadable ranges of the log. */
export function auditReport(result: Audit, damages = 0): string {
  const { partitions, deadLetters } = result;
  const lines: string[] = [];
  for (const { partition, fromOffset, snapshotMs, frames, frameRecords, positions, aircraft, topics, notCompared } of partitions) {
    if (notCompared !== null) lines.push(notComparedLine(partition, notCompared, topics));
    if (snapshotMs !== null)
      lines.push(
        `partition ${partition}: begins at the kept snapshot of ${timeOf(snapshotMs)}, frame offset ${fromOffset}; nothing before it is compared`,
      );
    lines.push(
      `partition ${partition}: ${frames} frames in ${frameRecords} records give ${positions} positions, ${aircraft} aircraft at the end`,
      ...topics.flatMap(topicLines),
    );
  }
  if (deadLetters.expected + deadLetters.stored > 0) {
    const gone = deadLetters.notCompared === 0 ? '' : `, ${deadLetters.notCompared} deleted since and not compared`;
    lines.push(
      `dead letters: ${deadLetters.stored} stored of ${deadLetters.expected} expected${gone}  ${verdictOf(deadLetters.differenceCount)}`,
    );
    lines.push(...deadLetters.differences.map((difference) => DETAIL + difference));
  }
  const sum = (pick: (partition: Audit['partitions'][number]) => number): number =>
    partitions.reduce((total, partition) => total + pick(partition), 0);
  const differences = differencesOf(result);
  const counts = `${sum(({ frames }) => frames)} frames, ${sum(({ positions }) => positions)} positions, ${partitions.length} partitions`;
  const waiting = sum((partition) => partition.waiting);
  if (waiting > 0) lines.push(`${waiting} frame records are not folded yet and not compared: a running service folds them`);
  const damage = damages === 0 ? '' : `the log is damaged in ${damages} ${damages === 1 ? 'range' : 'ranges'}, otherwise `;
  lines.push(
    `audit: ${damage}${differences === 0 ? 'equal' : `${differences} differences`}: ${counts}${beginOf(partitions)}${notComparedInAll(partitions)}`,
  );
  return `${lines.join('\n')}\n`;
}

function beginOf(partitions: Audit['partitions']): string {
  const begins = partitions.flatMap(({ snapshotMs }) => snapshotMs ?? []);
  return begins.length === 0 ? '' : `; from the kept snapshots of ${timeOf(Math.min(...begins))} to ${timeOf(Math.max(...begins))}`;
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

function notComparedLine(partition: number, { versions, beforeOffset, frameRecords }: NotCompared, topics: readonly TopicAudit[]): string {
  const records = topics.map(({ topic, others }) => `${others} of ${topic}`).join(', ');
  return `partition ${partition}: frames before offset ${beforeOffset} not compared: written by ${versionsText(versions)} (${frameRecords} frame records; ${records})`;
}

function notComparedInAll(partitions: Audit['partitions']): string {
  const others = partitions.flatMap(({ notCompared }) => notCompared ?? []);
  if (others.length === 0) return '';
  const versions = [...new Set(others.flatMap((other) => other.versions))].sort((a, b) => a - b);
  const records = others.reduce((sum, { frameRecords }) => sum + frameRecords, 0);
  return `; ${records} frame records not compared: written by ${versionsText(versions)}, this is version ${FOLD_VERSION}`;
}

function versionsText(versions: readonly number[]): string {
  return versions.length === 1 ? `fold version ${versions[0]}` : `fold versions ${versions.join(', ')}`;
}

function topicLines({
  topic,
  stored,
  expected,
  superseded,
  differenceCount,
  differences,
  storedSha256,
  expectedSha256,
}: TopicAudit): string[] {
  const gone = superseded === 0 ? '' : `, ${superseded} superseded and not compared`;
  const lines = [
    `  ${topic.padEnd(10)} ${stored} records stored of ${expected} expected${gone}  ${verdictOf(differenceCount)}  sha256 ${storedSha256}`,
  ];
  if (differenceCount > 0) lines.push(`${DETAIL}expected sha256 ${expectedSha256}`);
  return [...lines, ...differences.map((difference) => DETAIL + difference)];
}

function verdictOf(differences: number): string {
  return differences === 0 ? 'equal' : `${differences} DIFFERENCES`;
}
