// `squitter feeders`: what is known of feeders, and the operator's decisions about them.
import { defineCommand, EXIT_DONE } from '../../pipeline/runtime/command.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { type FeederAct, isDecision } from '../services/access/feeder-acts.ts';
import { type FeederReport, listText, reportText } from '../services/access/feeder-report.ts';
import { REQUEST_DETAILS, reportsFor, requestOptions, writeReports } from './feeder-requests.ts';

const NO_REASON = 'no reason is given';
const acts: readonly FeederAct[] = ['list', 'show', 'ban', 'unban', 'forget'];

export const feedersCommand = defineCommand({
  name: 'feeders',
  summary: 'what is known of feeders; ban, unban or forget one',
  words: 'list | show|ban|unban|forget ID',
  wordsMin: 1,
  wordsMax: 2,
  details: [
    REQUEST_DETAILS,
    '  list    all feeders, the one seen last first      show    all that is known of one',
    '  ban     the feeder and its public address: its connections and the sockets of its callers close within seconds, and new ones are refused with the',
    '          reason. A UUID or an address that was never here may be banned, too',
    '  unban   lifts the ban of the feeder and of its address',
    '  forget  deletes its status, counts, claim and ban, and revokes its keys; the output says what stays',
    'Each ban, unban and forget is a record in the topic of feeders.',
  ].join('\n'),
  examples: [
    'squitter feeders list',
    'squitter feeders show 198.51.100.7 --data /var/lib/squitter',
    "squitter feeders ban 4f1d2c3b5a697887 --reason 'positions from a simulator'",
    'squitter feeders unban 4f1d2c3b5a697887',
    'squitter feeders forget 7c0ffee7-1dea-4bad-8ace-5eed0fadedab',
    'squitter feeders list --json --brokers kafka-1:9092 --registry http://registry:8080/apis/ccompat/v7 --secret-file /run/secrets/squitter',
  ],
  options: {
    ...requestOptions,
    reason: {
      flag: 'reason',
      value: 'TEXT',
      help: `with ban: why, up to ${limits.banReasonCharactersMax} characters; those who are refused read it`,
      fallback: null as string | null,
      parse: parseReason,
    },
  },
  async run({ options, words, env, stdout }) {
    const [what = '', feeder] = words;
    const act = acts.find((name) => name === what);
    if (act === undefined) throw new SquitterError('usage.unknown_word', { word: what, command: 'feeders' });
    if (act === 'list' && feeder !== undefined) throw new SquitterError('usage.unknown_word', { word: feeder, command: 'feeders list' });
    if (act !== 'list' && feeder === undefined) throw new SquitterError('usage.missing_argument', { argument: 'ID' });
    if (act !== 'ban' && options.reason !== null)
      throw new SquitterError('usage.bad_value', { flag: '--reason', value: options.reason, detail: 'only a ban has a reason' });
    const reports = await reportsFor({ act, feeder: feeder ?? '', reason: options.reason ?? NO_REASON }, options, env);
    writeReports(stdout, reports, options, act === 'list' ? listText : ([report]) => textOf(act, report!));
    return EXIT_DONE;
  },
});

function textOf(act: FeederAct, report: FeederReport): string {
  const { id, connected, ban, banned_with: others, key } = report;
  if (!isDecision(act)) return reportText(report);
  if (act === 'ban') return `${id} is banned ${ban!.with_address ? 'with its address' : '(it has no public address)'}: ${ban!.reason}\n`;
  if (act === 'unban') return `${id} is not banned\n${others.length === 0 ? '' : `its address is: with ${others.join(', ')}\n`}`;
  return [
    `${id} is forgotten: its status, counts, claim and ban are deleted`,
    'What stays, under its id:',
    ...(key === null ? [] : ['  the generation of its keys, so that none of those so far is valid again']),
    '  deleted records, until compaction removes them; its counts in the snapshots of the fold, without which the log could not be folded on',
    '  its frames in the raw topic, and its rows of the history, until their retention ends: 7 and 30 days, if you have set nothing else',
    '  what was asked from its address, under a hash; log lines of the service; your backups',
    ...(connected ? ['It is connected: it is known again with its next status. Ban it to keep it away'] : []),
    '',
  ].join('\n');
}

/** One line without control characters: it is a close reason, too. */
function parseReason(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '' || /\p{Cc}/u.test(trimmed) || trimmed.length > limits.banReasonCharactersMax)
    throw new Error(`expected one line of up to ${limits.banReasonCharactersMax} characters`);
  return trimmed;
}
