// The report of `squitter verify`: as an object for programs, and as text for people.
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { Comparer } from './compare.ts';
import { POSITION_NEAR_M } from './distance.ts';
import { fieldRules } from './fields.ts';
import { type Case, median, type NameList } from './tally.ts';

export interface ReportContext {
  readonly comparer: Comparer;
  /** The compared sources: a file, an address. */
  readonly frames: string;
  readonly theirs: string;
  /** The other program's name; null when unknown. */
  readonly program: string | null;
  readonly slackMs: number;
  readonly failures: number;
  readonly shareMin: number;
}

export type Report = ReturnType<typeof buildReport>;
export type FieldReport = Report['fields'][number];

/** Error: `verify.nothing_compared`. */
export function buildReport(context: ReportContext) {
  const { comparer } = context;
  const { tally, ours } = comparer;
  if (tally.aircraftCompared === 0) throw new SquitterError('verify.nothing_compared', { detail: whyNothing(context) });
  const all = fieldRules.flatMap(({ name }) => {
    const counts = tally.fields.get(name);
    return counts === undefined ? [] : [Object.assign({ field: name, compared: counts.compared }, counts)];
  });
  const given = all.filter(({ field }) => tally.givenByTheirs.has(field));
  const never = all.filter(({ field }) => !tally.givenByTheirs.has(field)).map(({ field }) => field);
  const sum = (pick: (row: (typeof all)[number]) => number): number => given.reduce((total, row) => total + pick(row), 0);
  const { distances } = tally;
  const positionsDiffering = tally.positionsFar + tally.positionsOnlyTheirs + tally.positionsOnlyOurs - tally.positionsExplained;
  const aircraftDiffering = tally.aircraftOnlyTheirs.count + tally.aircraftOnlyOurs.count;
  const compared = sum((row) => row.compared) + distances.count + tally.positionsOnlyTheirs + tally.positionsOnlyOurs;
  const unexplained = sum((row) => row.different + row.onlyTheirs + row.onlyOurs - row.explained) + positionsDiffering + aircraftDiffering;
  const share = 1 - unexplained / Math.max(1, compared);
  const shown = new Set([...given.map(({ field }) => field), 'lat,lon']);
  return {
    passed: share >= context.shareMin,
    frames: { source: context.frames, count: ours.frames, accepted: ours.accepted, positions: ours.positions },
    theirs: {
      source: context.theirs,
      program: context.program,
      answers: tally.responses,
      answersNotCompared: tally.responsesNotCompared,
      failures: context.failures,
      from: new Date(tally.firstResponseMs).toISOString(),
      to: new Date(tally.lastResponseMs).toISOString(),
      clockAheadMs: Math.round(comparer.offsetMs + median(tally.timeDifferences)),
    },
    slackMs: context.slackMs,
    values: { compared, equal: compared - unexplained, unexplained, share },
    fields: given,
    neverGivenByTheirs: never,
    notCompared: [...tally.unknownMembers].sort(),
    unheard: tally.unheard,
    positions: {
      matched: distances.count,
      far: tally.positionsFar,
      onlyTheirs: tally.positionsOnlyTheirs,
      onlyOurs: tally.positionsOnlyOurs,
      explained: tally.positionsExplained,
      metres: {
        p50: distances.percentile(0.5),
        p95: distances.percentile(0.95),
        p99: distances.percentile(0.99),
        largest: distances.largest,
      },
    },
    aircraft: { both: tally.aircraftBoth, onlyTheirs: tally.aircraftOnlyTheirs, onlyOurs: tally.aircraftOnlyOurs },
    reasons: [...tally.reasons].flatMap(([reason, byField]) => {
      const count = [...byField].reduce((total, [field, times]) => total + (shown.has(field) ? times : 0), 0);
      return count === 0 ? [] : [{ reason, count }];
    }),
    cases: tally.cases().filter(({ field }) => shown.has(field)),
  };
}

function whyNothing({ comparer, theirs }: ReportContext): string {
  const { tally, ours } = comparer;
  if (ours.accepted === 0) return `none of the ${ours.frames} frames belongs to an aircraft`;
  if (tally.responses === 0) return `${theirs} sent no response in time`;
  const period = `${new Date(tally.firstResponseMs).toISOString()} to ${new Date(tally.lastResponseMs).toISOString()}`;
  const until = new Date(ours.clockMs).toISOString();
  return `${theirs} has responses from ${period}, the frames end at ${until}. Does it receive the same frames? If its clock differs, use --offset`;
}

const COLUMNS = ['compared', 'equal', 'near', 'different', 'only theirs', 'only ours', 'explained', 'cases'] as const;

export function reportText(report: Report): string {
  const { frames, theirs, values, positions, aircraft } = report;
  const lines = [
    `frames    ${frames.source}: ${countText(frames.count)}, ${countText(frames.accepted)} accepted, ${countText(frames.positions)} positions`,
    `theirs    ${theirs.source}${theirs.program === null ? '' : ` (${theirs.program})`}: ${countText(theirs.answers)} responses, ${clock(theirs.from)} to ${clock(theirs.to)}`,
    `times     their clock is ${theirs.clockAheadMs} ms ahead; a value counts as near within ${report.slackMs} ms`,
  ];
  if (theirs.failures > 0) lines.push(`          ${countText(theirs.failures)} attempts to read a response failed`);
  if (theirs.answersNotCompared > 0)
    lines.push(`          ${countText(theirs.answersNotCompared)} responses not compared: too early or too late`);
  lines.push('', tableLine('field', COLUMNS));
  for (const { field, ...counts } of report.fields) lines.push(tableLine(field, Object.values(counts).map(countText)));
  lines.push('');
  lines.push(
    `positions ${countText(positions.matched)} matched, ${countText(positions.far)} over ${POSITION_NEAR_M} m apart, ${countText(positions.onlyTheirs)} only theirs, ${countText(positions.onlyOurs)} only ours, ${countText(positions.explained)} explained`,
    `          apart by: half ${metres(positions.metres.p50)}, 95 % ${metres(positions.metres.p95)}, 99 % ${metres(positions.metres.p99)}, largest ${metres(positions.metres.largest)}`,
    `aircraft  ${countText(aircraft.both.count)} in both${names('only theirs', aircraft.onlyTheirs)}${names('only ours', aircraft.onlyOurs)}`,
  );
  if (report.neverGivenByTheirs.length > 0) lines.push(`never in theirs, not compared: ${report.neverGivenByTheirs.join(' ')}`);
  if (report.notCompared.length > 0) lines.push(`unknown to us, not compared: ${report.notCompared.join(' ')}`);
  if (report.unheard > 0) lines.push(`not counted: ${countText(report.unheard)} values that theirs may have heard before ours`);
  lines.push(...caseLines(report));
  lines.push(
    '',
    `verify: ${report.passed ? 'equal' : 'DIFFERENT'}: ${percent(values.share)} of ${countText(values.compared)} values and positions, ${countText(values.unexplained)} differences without a reason`,
  );
  return `${lines.join('\n')}\n`;
}

function caseLines({ cases, reasons }: Report): string[] {
  const lines: string[] = [];
  const open = cases.filter(({ reason }) => reason === null);
  if (open.length > 0) lines.push('', 'differences without a reason, the largest of each kind:', ...open.flatMap(caseText));
  for (const { reason, count } of reasons) {
    lines.push('', `reason (${countText(count)}): ${reason}`);
    const explained = cases.filter((item) => item.reason === reason);
    lines.push(...explained.slice(0, 1).flatMap(caseText));
  }
  return lines;
}

function caseText({ field, hex, timeMs, theirs, ours, oursSinceMs, frame }: Case): string[] {
  const kind = field === 'seen' || field === 'seen_pos' ? clockOf : String;
  const shown = (value: Case['ours']): string => (value === undefined ? 'nothing' : kind(value));
  const lines = [`  ${clock(new Date(timeMs).toISOString())}  ${hex}  ${field}: theirs ${shown(theirs)}, ours ${shown(ours)}`];
  if (oursSinceMs === null) return lines;
  const cause = frame === null ? 'by expiry' : `by frame ${frame.row}, ${frame.hex}`;
  return [...lines, `      ours since ${clock(new Date(oursSinceMs).toISOString())} ${cause}`];
}

export function tableLine(name: string, cells: readonly string[]): string {
  return name.padEnd(17) + cells.map((cell) => cell.padStart(12)).join('');
}

function names(title: string, { count, names }: NameList): string {
  if (count === 0) return `, none ${title}`;
  const shown = names.slice(0, limits.verifyNamesShownMax).join(' ');
  return `, ${countText(count)} ${title} (${shown}${count > limits.verifyNamesShownMax ? ' …' : ''})`;
}

function clockOf(timeMs: string | number): string {
  return clock(new Date(Number(timeMs)).toISOString());
}

/** Time of day of an ISO time; the JSON report contains the date. */
function clock(iso: string): string {
  return iso.slice(11, 23);
}

function metres(value: number): string {
  return `${value < 100 ? value.toFixed(2) : Math.round(value)} m`;
}

export function countText(value: number): string {
  return value.toLocaleString('en');
}

/** Rounded down, so that it never shows 100 for less. */
function percent(share: number): string {
  return `${(Math.floor(share * 100_000) / 1000).toFixed(3)} %`;
}
