// The report of `npm run verify:simulated`: as an object for programs, and as text for people.
import { countText, tableLine } from '../../../pipeline/tools/verify/report.ts';
import type { Value } from '../observer/message-content.ts';
import type { TruthCase, TruthField, TruthTally } from './tally.ts';

export interface TruthReport {
  readonly passed: boolean;
  readonly aircraft: number;
  readonly minutes: number;
  readonly seeds: readonly number[];
  readonly frames: number;
  readonly compared: number;
  readonly unexplained: number;
  readonly fields: readonly TruthFieldReport[];
  readonly coded: TruthTally['coded'];
  readonly copies: TruthTally['copies'];
  readonly registers: TruthTally['registers'];
  readonly addresses: TruthTally['aircraft'];
}

export interface TruthFieldReport {
  readonly field: string;
  readonly compared: number;
  readonly equal: number;
  readonly within: number;
  readonly explained: number;
  readonly unexplained: number;
  readonly reasons: Readonly<Record<string, number>>;
  readonly cases: readonly TruthCase[];
}

export function reportOf(options: Pick<TruthReport, 'aircraft' | 'minutes' | 'seeds'>, tally: TruthTally): TruthReport {
  const { aircraft, minutes, seeds } = options;
  const { frames, compared, unexplained, coded, copies, registers } = tally;
  const fields = [...tally.fields.values()].map(fieldReport);
  const passed = unexplained === 0 && compared > 0;
  return { passed, aircraft, minutes, seeds, frames, compared, unexplained, fields, coded, copies, registers, addresses: tally.aircraft };
}

function fieldReport({ name, compared, equal, within, explained, unexplained, reasons, cases }: TruthField): TruthFieldReport {
  return { field: name, compared, equal, within, explained, unexplained, reasons: Object.fromEntries(reasons), cases };
}

const COLUMNS = ['compared', 'equal', 'within', 'explained', 'unexplained'] as const;

export function truthText(report: TruthReport): string {
  const { coded, copies, registers, addresses } = report;
  const lines = [
    `traffic   ${countText(report.aircraft)} aircraft, ${report.minutes} min, seed ${report.seeds.join(' ')}: ${countText(report.frames)} receptions`,
    '',
    tableLine('field', COLUMNS),
    ...report.fields.map((field) =>
      tableLine(field.field, [field.compared, field.equal, field.within, field.explained, field.unexplained].map(countText)),
    ),
    '',
    `coded     ${countText(coded.values)} numbers in messages, ${countText(coded.wrong)} more than half a step from what was flown`,
    `copies    ${countText(copies.heard)} received, ${countText(copies.differing)} accepted or refused wrongly`,
    `registers ${countText(registers.named)} Comm-B replies with the register that was sent, ${countText(registers.open)} undecided, ${countText(registers.wrong)} with another register`,
    `aircraft  ${countText(addresses.shown)} known of ${countText(addresses.sent)} heard; ${countText(addresses.nobody)} nonexistent, ${countText(addresses.neverShown)} never known; ${countText(addresses.forgotten)} forgotten, ${countText(addresses.untimely)} of them too early or too late; ${countText(addresses.ambiguous)} only in messages that cannot mark an address as non-ICAO`,
    ...reasonLines(report),
    ...caseLines(report),
    '',
    `verify: ${report.passed ? 'true' : 'WRONG'}: ${countText(report.compared)} values, ${countText(report.unexplained)} differences without a reason`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Each reason with its fields, the most frequent first. */
function reasonLines({ fields }: TruthReport): string[] {
  const found = new Map<string, [field: string, count: number][]>();
  for (const { field, reasons } of fields)
    for (const [reason, count] of Object.entries(reasons)) found.set(reason, [...(found.get(reason) ?? []), [field, count]]);
  return [...found].flatMap(([reason, counts]) => {
    const sum = counts.reduce((total, [, count]) => total + count, 0);
    const ordered = counts.sort((a, b) => b[1] - a[1]).map(([field, count]) => `${field} ${countText(count)}`);
    return ['', `reason (${countText(sum)}): ${reason}`, `  ${ordered.join(', ')}`];
  });
}

function caseLines({ fields, coded, copies, registers, addresses }: TruthReport): string[] {
  const lines = fields.flatMap(({ field, cases }) =>
    cases.map(({ timeMs, hex, shown, ideal, ruled, flown }) => {
      const also = flown === undefined ? '' : `, flown ${flown.toFixed(2)}`;
      return `  ${new Date(timeMs).toISOString().slice(11, 23)}  ${hex}  ${field}: shown ${text(shown)}, sent ${text(ideal)}, by the rules ${text(ruled)}${also}`;
    }),
  );
  const others = [...coded.cases, ...copies.cases, ...registers.cases, ...addresses.cases].map((found) => `  ${found}`);
  return lines.length + others.length === 0 ? [] : ['', 'differences without a reason, the first of each kind:', ...lines, ...others];
}

function text(value: Value | undefined): string {
  return value === undefined ? 'nothing' : String(value);
}
