// Report of an import: rows taken and rows refused, with enough detail to correct the files.
import { limits } from '../../../schemas/limits/index.ts';

export interface Refusals {
  count: number;
  /** The first of them: `airports.csv:12`, or a line number. */
  readonly examples: string[];
}

export interface FormatReport {
  files: number;
  rows: number;
  readonly refused: Map<string, Refusals>;
}

/** Report on one FILE of the command line. */
export class InputReport {
  readonly path: string;
  readonly formats = new Map<string, FormatReport>();
  /** Files left out, by reason. */
  readonly leftOut = new Map<string, Refusals>();

  constructor(path: string) {
    this.path = path;
  }

  format(name: string): FormatReport {
    const report = this.formats.get(name) ?? { files: 0, rows: 0, refused: new Map<string, Refusals>() };
    this.formats.set(name, report);
    return report;
  }

  get rows(): number {
    return [...this.formats.values()].reduce((sum, { rows }) => sum + rows, 0);
  }

  lines(): string[] {
    const lines = [this.path];
    for (const [name, { files, rows, refused }] of this.formats) {
      const inFiles = files > 1 ? ` in ${count(files)} files` : '';
      lines.push(`  ${name}: ${count(rows)} rows taken${inFiles}`);
      for (const [reason, refusals] of refused) lines.push(`    ${refusalLine(reason, refusals, 'refused')}`);
    }
    for (const [reason, refusals] of this.leftOut)
      lines.push(`  ${refusalLine(reason, refusals, refusals.count === 1 ? 'file left out' : 'files left out')}`);
    return lines;
  }
}

/** Counts a refusal, and records the location of the first few. */
export function refuse(refused: Map<string, Refusals>, reason: string, where: string): void {
  const refusals = refused.get(reason) ?? { count: 0, examples: [] };
  refused.set(reason, refusals);
  refusals.count += 1;
  if (refusals.examples.length < limits.referenceExamplesMax) refusals.examples.push(where);
}

function refusalLine(reason: string, { count: times, examples }: Refusals, what: string): string {
  const more = times > examples.length ? ' …' : '';
  return `${count(times)} ${what}: ${reason} (${examples.join(', ')}${more})`;
}

export function count(number: number): string {
  return number.toLocaleString('en');
}
