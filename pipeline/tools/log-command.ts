// `squitter log check|repair|partitions`: finds damage in a data folder, repairs it, changes the number of partitions.

import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { topics } from '../../schemas/topics.ts';
import { damageText } from '../log/damage.ts';
import { openForRepair, type Repair, repairLog } from '../log/lmdb/repair.ts';
import { type Salvage, salvage } from '../log/lmdb/salvage.ts';
import { logPath } from '../log/open-data.ts';
import { type CommandContext, defineCommand, EXIT_DONE, EXIT_FAILED } from '../runtime/command.ts';
import { integerBetween } from '../runtime/options.ts';
import { createProgress } from '../runtime/progress.ts';

export const logCommand = defineCommand({
  name: 'log',
  summary: 'check a data folder for damage, repair it, or change its number of partitions',
  words: 'check | repair | partitions N',
  wordsMin: 1,
  wordsMax: 2,
  details: [
    '`check` reads everything and verifies its checksums. Safe while the service runs. Exit status 1 on damage.',
    "`repair` needs the service to be stopped. It builds a new index of all intact data and reports the loss. Where frames or the fold's output",
    'are damaged, the fold starts again at the first frame that is left, so that every frame counts exactly once: positions and aircraft are computed again.',
    'Data that is left out moves to a folder `damaged-…` in the log; --discard deletes it.',
    '`partitions` needs the service to be stopped, and room for a second log. It folds all frames again in a new log with N partitions, which then',
    'takes the place of the old one. Ended by a signal or killed at any moment, it leaves the folder as it was.',
  ].join('\n'),
  examples: [
    'squitter log check',
    'squitter log check --data /var/lib/squitter',
    'squitter log repair --data /var/lib/squitter',
    'squitter log partitions 8',
  ],
  options: {
    data: { flag: 'data', value: 'DIR', env: 'SQUITTER_DATA', help: 'data folder', fallback: './data' },
    discard: {
      flag: 'discard',
      help: 'with repair: delete the data that is left out instead of moving it aside',
      fallback: false as boolean,
    },
  },
  async run({ options, words, stdout, stderr, signal }) {
    const [what, ...more] = words;
    if (what === 'partitions') return await runPartitions(options.data, more[0], { stdout, stderr, signal });
    if (what !== 'check' && what !== 'repair') throw new SquitterError('usage.unknown_word', { word: what!, command: 'log' });
    if (more.length > 0) throw new SquitterError('usage.unknown_word', { word: more[0]!, command: `log ${what}` });
    const path = logPath(options.data);
    const progress = createProgress(stderr, 'batches', () => Date.now());
    const watch = { onProgress: progress.update, signal };
    if (what === 'repair') {
      const repair = await repairLog(path, { ...watch, nowMs: Date.now(), discards: options.discard });
      progress.end();
      stdout.write(repairText(repair));
      return EXIT_DONE;
    }
    const { index, fault } = openForRepair(path, false);
    try {
      const found = await salvage(path, index, fault, watch);
      progress.end();
      stdout.write(checkText(found));
      return isWhole(found) ? EXIT_DONE : EXIT_FAILED;
    } finally {
      await index?.root.close();
    }
  },
});

async function runPartitions(
  data: string,
  word: string | undefined,
  io: Pick<CommandContext, 'stdout' | 'stderr' | 'signal'>,
): Promise<number> {
  if (word === undefined) throw new SquitterError('usage.missing_argument', { argument: 'N' });
  const partitions = integerBetween(1, limits.foldThreadsMax)(word);
  // Imported on demand: check and repair need nothing of it.
  const { changePartitions } = await import('./change-partitions.ts');
  const progress = createProgress(io.stderr, 'frames', () => Date.now());
  const change = await changePartitions(data, { partitions, onProgress: progress.update, signal: io.signal });
  progress.end();
  if (change === null) return EXIT_FAILED;
  const { before, frames } = change;
  const text = before === partitions ? 'as before' : `instead of ${before}: ${frames} frames are folded again`;
  io.stdout.write(`log: ${partitions} partitions ${text}\n`);
  return EXIT_DONE;
}

const isWhole = ({ damages, faults }: Salvage): boolean => damages.length === 0 && faults.length === 0;

function shown(lines: readonly string[]): string[] {
  const more = lines.length - limits.logLinesShownMax;
  return more > 0 ? [...lines.slice(0, limits.logLinesShownMax), `… and ${more} more`] : [...lines];
}

const written = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

function checkText(found: Salvage): string {
  const { report, damages, faults } = found;
  const lines = [...faults.map((fault) => `damaged: ${fault}`), ...shown(damages.map((damage) => `damaged: ${damageText(damage)}`))];
  if (report === null) {
    const whole = [...found.partitions.values()].filter(({ entries }) => entries.length > 0);
    for (const { topic, partition, entries } of whole)
      lines.push(
        `whole:   ${topics[topic].shortName}/${partition} ${entries.length} batches, offsets ${entries[0]!.baseOffset} to ${entries.at(-1)!.lastOffset}`,
      );
    lines.push('log: damaged: the index is unusable. `squitter log repair` builds a new one from the intact data');
    return written(lines);
  }
  const { batches, records, bytes, lostBefore } = report;
  if (lostBefore > 0) lines.push(`left out by an earlier repair: ${lostBefore} offsets`);
  const counts = `${batches} batches, ${records} records, ${bytes.toLocaleString('en')} bytes`;
  const problems = damages.length + faults.length;
  lines.push(
    problems === 0 ? `log: whole: ${counts}` : `log: damaged: ${problems} ${problems === 1 ? 'problem' : 'problems'}; intact: ${counts}`,
  );
  return written(lines);
}

function repairText({ salvage: found, lost, leftOut, foldsFrom, aside }: Repair): string {
  if (found === null) return 'log: whole: nothing to repair\n';
  const lines = [
    ...found.faults.map((fault) => `damaged: ${fault}`),
    ...shown(found.damages.filter((damage) => !lost.includes(damage)).map((damage) => `damaged: ${damageText(damage)}`)),
    ...shown(lost.map((damage) => `lost: ${damageText(damage)}`)),
    ...leftOut.map((damage) => `left out: ${damageText(damage)}`),
  ];
  const starts = foldsFrom ?? [];
  lines.push(...starts.map((offset, partition) => `the fold starts again at offset ${offset} of frames/${partition}`));
  if (found.schemas.length === 0) lines.push('schemas were lost: this version registers them again, as in a new log');
  if (aside !== null) lines.push(`data that is left out is in ${aside}`);
  return written([...lines, 'log: repaired']);
}
