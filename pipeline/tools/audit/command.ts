// `squitter audit`: proves that the topics match a fresh fold of the frames topic.
import { availableParallelism } from 'node:os';
import { limits } from '../../../schemas/limits/index.ts';
import { TICK_MS } from '../../fold/worker.ts';
import { damageText } from '../../log/damage.ts';
import { checkStore } from '../../log/lmdb/check.ts';
import { LmdbLog } from '../../log/lmdb/lmdb-log.ts';
import { defineCommand, EXIT_DONE, EXIT_FAILED } from '../../runtime/command.ts';
import { flagOption, integerBetween, parseTime, receiverOption } from '../../runtime/options.ts';
import { createProgress } from '../../runtime/progress.ts';
import { historyOptions } from '../../store/options.ts';
import { logOptions, openLog } from '../log-options.ts';

import { audit } from './audit.ts';
import { auditHistoryOf } from './history-command.ts';
import { auditReport, differencesOf } from './report.ts';
import { auditInThreads } from './threads.ts';

export const auditCommand = defineCommand({
  name: 'audit',
  summary: 'fold the frames topic again and prove that the other topics match it',
  details:
    'Positions are compared record by record and byte by byte. Of compacted topics, the records that still exist are\n' +
    'compared and the others counted. Every unreadable frame record must have its dead letter. Safe while the service runs.\n' +
    'With --from, the audit begins at a kept snapshot, also in a log whose first frames are deleted.\n' +
    'Exit status 1 on any difference. Pass the same --receiver as the service.\n' +
    'With --history, the rows of the history store are compared with the positions and ended flights of the log instead.',
  examples: [
    'squitter audit',
    'squitter audit --data /var/lib/squitter',
    'squitter audit --from 2026-01-31T12:00:00Z',
    'squitter audit --history',
    'squitter audit --brokers kafka-1:9092 --registry http://registry:8080/apis/ccompat/v7',
  ],
  options: {
    ...logOptions,
    history: { flag: 'history', help: 'compare the history store with the log, count and content', fallback: false as boolean },
    ...historyOptions,
    clickhouse: {
      ...historyOptions.clickhouse,
      help: 'ClickHouse server; without it, the store of the service that runs on the data folder',
    },
    from: flagOption(
      'from',
      'TIME',
      'begin at the kept snapshot before this time (2026-01-31T12:00:00Z), or the first one after it',
      parseTime,
    ),
    threads: flagOption(
      'threads',
      'N',
      'partitions that are folded at the same time (default: as many as processors)',
      integerBetween(1, limits.auditThreadsMax),
      availableParallelism(),
    ),
    receiver: receiverOption('receiver location that the service uses'),
  },
  async run({ options, env, stdout, stderr, signal }) {
    if (options.history) return await auditHistoryOf(options, { env, stdout, stderr, signal });
    const { log, codecs } = await openLog(options, env, 'read');
    const progress = createProgress(stderr, 'frames', () => Date.now());
    try {
      const { from: fromMs, receiver, data, brokers, registry } = options;
      const onProgress = progress.update;
      const result =
        options.threads === 1
          ? await audit({ log, codecs, fold: { tickMs: TICK_MS, receiver }, fromMs, onProgress, signal })
          : await auditInThreads(
              { log, onProgress, signal },
              { location: { data, brokers, registry }, env, receiver, fromMs },
              options.threads,
            );
      progress.end();
      // Also checks data that the fold does not write or reads only after a restart.
      const damages = log instanceof LmdbLog ? (await checkStore(log.store, { signal })).damages : [];
      for (const damage of damages) stdout.write(`damaged: ${damageText(damage)}\n`);
      stdout.write(auditReport(result, damages.length));
      return differencesOf(result) === 0 && damages.length === 0 ? EXIT_DONE : EXIT_FAILED;
    } finally {
      await log.close();
    }
  },
});
