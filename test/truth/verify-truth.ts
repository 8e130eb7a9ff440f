// The whole comparison: every set with a truth through `squitter decode`, frame by frame, and through `squitter fold`, position by position.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from '../../pipeline/runtime/command.ts';
import { parseOptions } from '../../pipeline/runtime/options.ts';
import { decodeCommand } from '../../pipeline/tools/decode-command.ts';
import { foldCommand } from '../../pipeline/tools/fold-command.ts';
import { causes, type Difference } from './causes.ts';
import { expectedFields, type Fields, isSame } from './values.ts';

/** The groups for which the project states figures. */
const groups = [
  'ADS-B fields',
  'altitude',
  'identity',
  'call sign',
  'register choice',
  'fields in a register',
  'positions',
  'state',
] as const;
type Group = (typeof groups)[number];

/** Minimum share of equal register choices over all sets. Everything else must be equal except for listed causes. */
const REGISTER_CHOICE_MIN = 0.99;
const ALL_SETS = 'all sets';
/** In Comm-B replies these come from the reply's own header, not from the register. */
const HEADER_FIELDS = new Set(['hex', 'alt_baro', 'squawk']);
/** Clock, receiver of the frame, and fields that are not in the recording. */
const NOT_COMPARED = new Set(['now', 'hex', 'rssi', 'r_dst', 'r_dir', 'gpsOkBefore', 'lastPosition']);
/** Names that readsb also prints: one of these only in our object is a difference; other names are additions. */
const READSB_NAMES = new Set(
  (
    'flight alt_baro alt_geom gs ias tas mach wd ws oat tat track track_rate roll mag_heading true_heading calc_track baro_rate geom_rate ' +
    'squawk emergency category nav_qnh nav_altitude_mcp nav_altitude_fms nav_heading nav_modes nic rc version nic_baro nac_p nac_v sil ' +
    'sil_type gva sda alert spi'
  ).split(' '),
);
/** A position of ours matches one of the truth when the times differ by less than this. */
const SAME_TIME_S = 0.003;

interface TruthRow {
  readonly i: number;
  readonly df: number;
  readonly agreed: Fields;
}

/** The folder with `frames` and `truth`: in `shared`, by default `../shared`; else the repository's sets. null if `shared` is given and has none. */
export function truthFolder(shared: string | undefined): string | null {
  const folder = join(shared ?? '../shared', 'data');
  if (existsSync(folder)) return folder;
  return shared === undefined ? join('test', 'golden', 'sets') : null;
}

/** Compares every set of the folder. */
export async function verifyTruth(folder: string): Promise<Truth> {
  const truth = new Truth(folder);
  for (const set of truth.sets) {
    await truth.checkDecode(set);
    if (existsSync(truth.file(`${set}.readsb-aircraft`))) await truth.checkState(set);
  }
  return truth;
}

class Truth {
  readonly sets: readonly string[];
  readonly differences: Difference[] = [];
  private readonly folder: string;
  private readonly counts = new Map<string, { compared: number; equal: number }>();

  constructor(folder: string) {
    this.folder = folder;
    const files = readdirSync(join(folder, 'truth'));
    this.sets = files.flatMap((file) => /^(\w+)\.jsonl$/.exec(file)?.[1] ?? []);
  }

  file(name: string): string {
    return join(this.folder, 'truth', `${name}.jsonl`);
  }

  /** Every frame, with the values on which independent decoders agree. Fields in a register are compared only when both name the same register. */
  async checkDecode(set: string): Promise<void> {
    const ours = new Map((await this.run(decodeCommand, set)).map((row) => [row['i'], row]));
    for (const { i, df, agreed } of this.rows<TruthRow>(set)) {
      const [found, expected] = [ours.get(i) ?? {}, expectedFields(agreed)];
      const isCommB = df === 20 || df === 21;
      const isOther = isCommB && found['bds'] !== expected['bds'];
      for (const [field, value] of Object.entries(expected))
        if (!isOther || field === 'bds' || HEADER_FIELDS.has(field)) this.add(set, groupOf(isCommB, field), i, field, found[field], value);
    }
  }

  /** Every accepted position, with readsb's aircraft object at the same event time. */
  async checkState(set: string): Promise<void> {
    const waiting = new Set(this.rows<Fields>(`${set}.readsb-aircraft`).filter((row) => row['lat'] !== undefined));
    for (const ours of await this.run(foldCommand, set, '--emit', 'position')) {
      const near = (row: Fields): boolean => Math.abs(Number(row['now']) - Number(ours['now'])) < SAME_TIME_S;
      const reference = [...waiting].find((row) => row['hex'] === ours['hex'] && near(row));
      this.add(set, 'positions', nameOf(ours), 'position', ours['lat'], reference && ours['lat']);
      if (reference === undefined) continue;
      waiting.delete(reference);
      for (const [field, value] of Object.entries(reference))
        if (!NOT_COMPARED.has(field)) this.add(set, 'state', nameOf(ours), field, ours[field], value);
      for (const [field, value] of Object.entries(ours))
        if (READSB_NAMES.has(field) && !(field in reference)) this.add(set, 'state', nameOf(ours), field, value, undefined);
    }
    for (const row of waiting) this.add(set, 'positions', nameOf(row), 'position', undefined, row['lat']);
  }

  /** Values compared and equal of a group. */
  count(group: Group, set = ALL_SETS): { compared: number; equal: number } {
    const key = `${set.padEnd(26)} ${group.padEnd(21)}`;
    if (!this.counts.has(key)) this.counts.set(key, { compared: 0, equal: 0 });
    return this.counts.get(key)!;
  }

  get unexplained(): readonly Difference[] {
    return this.differences.filter((difference) => !causes.some((cause) => explains(cause, difference)));
  }

  /** Listed rows and fields that match no difference. */
  get unused(): readonly string[] {
    const needed = new Set(this.differences.map(({ set, row, field }) => `${set} ${row} ${field}`));
    const listed = causes.flatMap(({ set, rows, fields }) => rows.flatMap((row) => fields.map((field) => `${set} ${row} ${field}`)));
    return listed.filter((entry) => !needed.has(entry));
  }

  get passed(): boolean {
    return this.unexplained.length === 0 && this.unused.length === 0 && this.registerShare >= REGISTER_CHOICE_MIN;
  }

  private get registerShare(): number {
    const { compared, equal } = this.count('register choice');
    return compared === 0 ? 1 : equal / compared;
  }

  /** The sets, the table, every difference under its cause, and the verdict. */
  report(): string {
    const table = [...this.counts]
      .sort()
      .map(([key, { compared, equal }]) => `${key}${cells(compared, equal, percentText(equal / compared))}`);
    const listed = causes.flatMap((cause) => {
      const lines = this.differences.filter((difference) => explains(cause, difference)).map(differenceLine);
      return lines.length === 0 ? [] : [`cause: ${cause.cause}`, `       ${cause.source}`, ...lines, ''];
    });
    const { unexplained } = this;
    return [
      ...[`truth: ${this.sets.length} sets, from ${this.folder}: ${this.sets.join(', ')}`, ''],
      ...[`${'set'.padEnd(26)} ${'group'.padEnd(21)}${cells('compared', 'equal', 'percent')}`, ...table, '', ...listed],
      ...unexplained.map((difference) => `WITHOUT A CAUSE in test/truth/causes.ts:${differenceLine(difference)}`),
      ...this.unused.map((entry) => `this listed cause matches no difference: ${entry}`),
      `truth: ${this.passed ? 'passed' : 'FAILED'}: ${this.differences.length - unexplained.length} differences with a listed cause, ` +
        `${unexplained.length} without; register choice ${percentText(this.registerShare)} (at least ${percentText(REGISTER_CHOICE_MIN)})\n`,
    ].join('\n');
  }

  /** Compares one value. `truth` undefined: a value of ours that the reference does not have. */
  private add(set: string, group: Group, row: number | string, field: string, ours: unknown, truth: unknown): void {
    const isEqual = truth !== undefined && isSame(field, ours, truth);
    for (const count of [this.count(group, set), this.count(group)]) {
      count.compared += 1;
      count.equal += Number(isEqual);
    }
    if (!isEqual) this.differences.push({ set, row, field, ours, truth });
  }

  private rows<Row>(name: string): Row[] {
    return linesOf(readFileSync(this.file(name), 'utf8'));
  }

  /** The JSON lines that a command prints about the frames of a set. */
  private async run(command: object, set: string, ...flags: string[]): Promise<Fields[]> {
    const { options: table, run } = command as Command;
    const { options, words } = parseOptions(table, [join(this.folder, 'frames', `${set}.csv`), ...flags], {});
    const [stdout, stderr] = [new PassThrough(), new PassThrough().resume()];
    const printed = text(stdout);
    await run({ options, words, env: {}, stdin: new PassThrough(), stdout, stderr, signal: new AbortController().signal });
    stdout.end();
    return linesOf(await printed);
  }
}

const linesOf = <Row>(lines: string): Row[] =>
  lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

const nameOf = (row: Fields): string => `${String(row['hex'])} at ${Number(row['now']).toFixed(3)}`;

function groupOf(isCommB: boolean, field: string): Group {
  if (field === 'alt_baro' || field === 'alt_geom') return 'altitude';
  if (field === 'hex' || field === 'squawk' || field === 'df') return 'identity';
  if (field === 'flight') return 'call sign';
  if (field === 'bds') return 'register choice';
  return isCommB ? 'fields in a register' : 'ADS-B fields';
}

const explains = (cause: (typeof causes)[number], { set, row, field }: Difference): boolean =>
  cause.set === set && cause.rows.includes(row) && cause.fields.includes(field);

const cells = (...texts: readonly (number | string)[]): string => texts.map((cell) => cell.toLocaleString('en').padStart(10)).join('');

/** Rounded down, so that it never shows 100 for less. */
const percentText = (share: number): string => `${(Math.floor(share * 100_000) / 1000).toFixed(3)} %`;

const differenceLine = ({ set, row, field, ours, truth }: Difference): string =>
  `  ${set} ${row} ${field}: ${JSON.stringify(ours) ?? 'missing'} for ${JSON.stringify(truth) ?? 'nothing'}`;
