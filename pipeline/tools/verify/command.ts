// `squitter verify`: runs the same frames through our fold and another program, and compares field by field and position by position.
import { SquitterError } from '../../../schemas/errors.ts';
import { defineCommand, EXIT_DONE, EXIT_FAILED } from '../../runtime/command.ts';
import { flagOption, integerBetween, numberBetween, type OptionValues, parseEndpoint } from '../../runtime/options.ts';
import { createProgress } from '../../runtime/progress.ts';
import { fileOptions, isoStart } from '../file-options.ts';
import { Comparer } from './compare.ts';
import { rulesByName } from './fields.ts';
import { buildReport, reportText } from './report.ts';
import { followPositions, pollResponses, programName, type ResponseFeed } from './responses.ts';
import { type OpenResponses, type RunContext, verifyLive, verifyRecorded, verifySent } from './run.ts';

const DAY_S = 86_400;
/** After this time all values that the other program heard before us have expired, except call sign and kind. */
const LIVE_SETTLE_S = 60;

function parseField(text: string): string {
  if (!rulesByName.has(text)) throw new Error(`expected one of ${[...rulesByName.keys()].join(', ')}`);
  return text;
}

const options = {
  ...fileOptions,
  to: flagOption('to', 'HOST:PORT', 'Beast input of the other program; FILE is sent there at its own pace', parseEndpoint),
  feed: flagOption('feed', 'HOST:PORT', 'instead of FILE: a Beast source that the other program also reads', parseEndpoint),
  aircraftJson: flagOption('aircraft-json', 'WHERE', 'its aircraft.json: a URL, a file, or a folder', String),
  positions: flagOption(
    'positions',
    'HOST:PORT',
    'its port with a JSON line per position (readsb --net-json-port), or with SBS-1 lines whose times are UTC',
    parseEndpoint,
  ),
  recorded: flagOption(
    'recorded',
    'FILE',
    'its recorded responses, one JSON value per line: whole aircraft.json or single aircraft',
    String,
  ),
  seconds: flagOption('seconds', 'N', 'with --feed: duration; default until stopped', integerBetween(1, DAY_S)),
  settle: flagOption(
    'settle',
    'SECONDS',
    `do not compare responses of the first seconds (with --feed ${LIVE_SETTLE_S}, else 0)`,
    integerBetween(0, DAY_S),
  ),
  slack: flagOption('slack', 'MS', 'how much older or newer than its time a response may be', integerBetween(0, 60_000), 500),
  offset: flagOption('offset', 'MS', 'their clock minus ours; by default estimated from positions', integerBetween(-1e13, 1e13)),
  poll: flagOption('poll', 'MS', 'how often to request aircraft.json', integerBetween(50, 60_000), 400),
  ignore: { ...flagOption('ignore', 'FIELD', 'a field not to compare', parseField), repeatable: true, fallback: [] as string[] },
  min: flagOption('min', 'SHARE', 'minimum share of values without a difference', numberBetween(0, 1), 1),
  quietEnd: {
    flag: 'quiet-end',
    help: 'with --to and --aircraft-json: compare only after the last frame and 2 s of silence, so that no difference comes from the moment of writing',
    fallback: false as boolean,
  },
  json: { flag: 'json', help: 'the report as one JSON object', fallback: false as boolean },
} as const;

export const verifyCommand = defineCommand({
  name: 'verify',
  summary: 'compare our fold with another program on the same frames',
  words: '[FILE]',
  wordsMax: 1,
  details:
    'The other program serves aircraft.json (readsb, dump1090-fa, dump1090, dump1090-mutability, this service), a JSON line per position, or SBS-1.\n' +
    'A value of theirs is `equal` when it is ours at the time of their response, `near` when ours had it within --slack of that time (programs\n' +
    'read, decode and write at their own intervals), else a difference: `different`, `only theirs`, `only ours`. A difference that stays over\n' +
    'several responses is one of `cases`. Differences with a documented reason count as `explained`; the report names the reason.\n' +
    'Exit status 0 when no difference is unexplained (or the share of values without one is at least --min), 1 otherwise, 2 for wrong usage.',
  examples: [
    'squitter verify recording.beast --to 127.0.0.1:30104 --aircraft-json http://127.0.0.1/data/aircraft.json',
    'squitter verify recording.beast --to 127.0.0.1:30104 --aircraft-json /run/readsb --quiet-end',
    'squitter verify recording.beast --to 127.0.0.1:30104 --positions 127.0.0.1:30047',
    'squitter verify frames.csv --recorded responses.jsonl --receiver 51.99,4.37',
    'squitter verify --feed 192.0.2.10:30005 --aircraft-json http://192.0.2.10/data/aircraft.json --seconds 600',
  ],
  options,
  async run({ options, words, stdin, stdout, stderr, signal }) {
    const file = words[0] ?? null;
    checkUsage(file, options);
    const live = options.feed !== null;
    const comparer = new Comparer({
      receiver: options.receiver,
      slackMs: options.slack,
      offsetMs: options.recorded === null ? options.offset : (options.offset ?? 0),
      settleMs: 1000 * (options.settle ?? (live ? LIVE_SETTLE_S : 0)),
      fieldsIgnored: new Set(options.ignore),
    });
    const progress = createProgress(stderr, 'frames', () => Date.now());
    const context: RunContext = {
      comparer,
      signal,
      progress,
      fileOptions: { stdin, startUs: isoStart(options.start), signal },
      quietEnd: options.quietEnd,
      slackMs: options.slack,
      log: (text) => stderr.write(`verify: ${text}\n`),
    };
    const open = openResponses(options);
    let feed: ResponseFeed | null = null;
    if (options.recorded !== null) await verifyRecorded(file!, options.recorded, context);
    else if (options.feed !== null) feed = await verifyLive(options.feed, options.seconds ?? Number.POSITIVE_INFINITY, open, context);
    else feed = await verifySent(file!, options.to!, open, context);
    progress.end();
    const report = buildReport({
      comparer,
      frames: file ?? String(options.feed),
      theirs: options.recorded ?? feed!.source,
      program: options.aircraftJson === null ? null : await programName(options.aircraftJson),
      slackMs: options.slack,
      failures: feed?.failures ?? 0,
      shareMin: options.min,
    });
    stdout.write(options.json ? `${JSON.stringify(report)}\n` : reportText(report));
    return report.passed ? EXIT_DONE : EXIT_FAILED;
  },
});

type Ways = OptionValues<typeof options>;

/** Frames have one source and responses have one source. Errors: `usage.missing_argument`, `usage.bad_value`. */
function checkUsage(file: string | null, { to, feed, aircraftJson, positions, recorded, quietEnd }: Ways): void {
  const several = (flag: string, other: string): SquitterError =>
    new SquitterError('usage.bad_value', { flag, value: `given with ${other}`, detail: 'expected only one of them' });
  if (file === null && feed === null) throw new SquitterError('usage.missing_argument', { argument: 'FILE or --feed' });
  if (file !== null && feed !== null) throw several('--feed', 'FILE');
  if (aircraftJson === null && positions === null && recorded === null)
    throw new SquitterError('usage.missing_argument', { argument: '--aircraft-json, --positions or --recorded' });
  if (aircraftJson !== null && positions !== null) throw several('--positions', '--aircraft-json');
  if (recorded !== null && (aircraftJson ?? positions) !== null) throw several('--recorded', 'a running program');
  if (recorded !== null && (to ?? feed) !== null) throw several('--recorded', to === null ? '--feed' : '--to');
  if (file !== null && recorded === null && to === null) throw new SquitterError('usage.missing_argument', { argument: '--to' });
  if (quietEnd && (to === null || aircraftJson === null))
    throw new SquitterError('usage.missing_argument', { argument: '--to and --aircraft-json, with --quiet-end' });
}

function openResponses({ aircraftJson, positions, poll }: Ways): OpenResponses {
  return (onResponse) => (aircraftJson !== null ? pollResponses(aircraftJson, poll, onResponse) : followPositions(positions!, onResponse));
}
