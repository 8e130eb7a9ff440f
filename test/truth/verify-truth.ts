// The whole comparison: every set of the data through both checks. Prints one table and one list.
import { causeOf, causes, unusedCauses } from './causes.ts';
import { checkDecode } from './decode-check.ts';
import type { TruthData } from './sets.ts';
import { checkState } from './state-check.ts';
import { type Count, type Difference, equalShare, type Group, groups, Tally } from './tally.ts';

/** Minimum share of equal register choices over all sets. Everything else must be equal except for listed causes. */
const REGISTER_CHOICE_MIN = 0.99;

export interface Verdict {
  readonly tally: Tally;
  readonly unexplained: readonly Difference[];
  /** Listed rows and fields that match no difference. */
  readonly unused: readonly string[];
  readonly registerShare: number;
  readonly passed: boolean;
}

export async function verifyTruth(data: TruthData): Promise<Verdict> {
  const tally = new Tally();
  await checkDecode(data, tally);
  await checkState(data, tally);
  const unexplained = tally.differences.filter((difference) => causeOf(difference) === undefined);
  const unused = unusedCauses(tally.differences);
  const registerShare = equalShare(tally.total('register choice'));
  return {
    tally,
    unexplained,
    unused,
    registerShare,
    passed: unexplained.length === 0 && unused.length === 0 && registerShare >= REGISTER_CHOICE_MIN,
  };
}

/** The table, every difference under its cause, and the verdict. */
export function verdictText({ tally, unexplained, unused, registerShare, passed }: Verdict): string {
  const lines = [tableLine('set', 'group', ['compared', 'equal', 'percent', 'missing', 'wrong'])];
  for (const [set, counts] of tally.counts)
    for (const group of groups) if (counts.has(group)) lines.push(countLine(set, group, counts.get(group)!));
  lines.push('');
  for (const cause of causes) {
    const differences = tally.differences.filter((difference) => causeOf(difference) === cause);
    if (differences.length > 0) lines.push(`cause: ${cause.cause}`, `       ${cause.source}`, ...differences.map(differenceLine), '');
  }
  if (unexplained.length > 0) lines.push('WITHOUT A CAUSE in test/truth/causes.ts:', ...unexplained.map(differenceLine), '');
  for (const entry of unused) lines.push(`this listed cause matches no difference: ${entry}`);
  const share = percentText(registerShare);
  const listed = tally.differences.length - unexplained.length;
  lines.push(
    `truth: ${passed ? 'passed' : 'FAILED'}: ${listed} differences with a listed cause, ${unexplained.length} without; register choice ${share} (at least ${percentText(REGISTER_CHOICE_MIN)})`,
  );
  return `${lines.join('\n')}\n`;
}

function countLine(set: string, group: Group, count: Count): string {
  const { compared, missing, wrong } = count;
  const numbers = [compared, compared - missing - wrong].map((value) => value.toLocaleString('en'));
  return tableLine(set, group, [...numbers, percentText(equalShare(count)), String(missing), String(wrong)]);
}

function tableLine(set: string, group: string, cells: readonly string[]): string {
  return `${set.padEnd(26)} ${group.padEnd(21)}${cells.map((cell) => cell.padStart(10)).join('')}`;
}

/** Rounded down, so that it never shows 100 for less. */
function percentText(share: number): string {
  return `${(Math.floor(share * 100_000) / 1000).toFixed(3)} %`;
}

function differenceLine({ set, row, field, ours, truth }: Difference): string {
  const where = typeof row === 'number' ? `row ${row}` : row;
  return `  ${set} ${where} ${field}: ${valueText(ours, 'missing')} for ${valueText(truth, 'nothing')}`;
}

function valueText(value: unknown, absent: string): string {
  return value === undefined ? absent : JSON.stringify(value);
}
