// Writes what changed of an aircraft since an earlier snapshot as a JSON object: `{"hex":"4ca1d2","gs":431.2,"squawk":null,"seen":0.3}`, with null for
// a member that is gone. Merged into the object of the earlier snapshot it gives the object of the later one. Ages (`seen`, `seen_pos`, `lastPosition`)
// hold at the `now` of their snapshot: every update has them, and an aircraft of which nothing but ages changed has no update.
import { type MemberRow, memberFields, sourceKinds } from '../../schemas/aircraft-fields.ts';
import { changeFields, factNames, MASK_WORDS, routeNames } from './changes.ts';
import { ABSENT, type ColumnName, categoryNames } from './columns.ts';
import { putFixed } from './digits.ts';
import { shownAnnotation } from './facts.ts';
import type { Listing } from './listing.ts';
import { isNativeCategory, nativeType } from './plain.ts';
import {
  choices,
  columnOf,
  putAdvisory,
  putAltitude,
  putCategory,
  putChoice,
  putFlight,
  putHex,
  putList,
  putPosition,
  putSquawk,
  type RowSource,
  rowSource,
} from './render.ts';
import { asciiOnly, putText, text } from './text.ts';

/** Memory that is written to. */
export interface WriteArea {
  readonly bytes: Buffer;
  readonly view: DataView;
}

type Put = (writer: UpdateWriter, at: number) => number;

interface Step {
  readonly member: string;
  /** Fields of a change that bring the member into an update. */
  readonly fields: readonly string[];
  /** Part of every update: an age. */
  readonly always?: true;
  /** True when the aircraft has the member. */
  readonly shows: (listing: Listing, i: number) => boolean;
  /** Writes the member; called only when the aircraft has it. */
  readonly put: Put;
  /** What is shown, as a number, where a change of the fields need not change it. */
  readonly value?: (listing: Listing, i: number) => number;
}

interface PlannedStep extends Step {
  readonly mask: Int32Array;
  readonly none: ReturnType<typeof text>;
}

/** The members that updates have. */
export interface UpdatePlan {
  readonly steps: readonly PlannedStep[];
  /** An aircraft has an update when its change has one of these bits. */
  readonly mask: Int32Array;
}

const CLOSE_BRACE = 0x7d;
const QUOTE = 0x22;
const ANNOTATION = [...factNames, ...routeNames];

const key = (member: string) => text(`,"${member}":`);
const always = (): boolean => true;
const hasPosition = ({ columns, positionMs }: Listing, i: number): boolean =>
  columns.positionValid[i] === 1 && !Number.isNaN(positionMs[i]);
const hasColumn =
  (column: ColumnName) =>
  ({ columns }: Listing, i: number): boolean =>
    columns[column][i] !== ABSENT;

/** A member with a number of the listing. */
function scaled(
  member: string,
  fields: readonly string[],
  shows: Step['shows'],
  value: (listing: Listing, i: number) => number,
  decimals: 0 | 1 | 2 | 3 | 6,
): Step {
  const name = key(member);
  return {
    member,
    fields,
    shows,
    value,
    put: ({ area, listing, i }, at) => putFixed(area.view, putText(area.view, at, name), value(listing, i), decimals),
  };
}

function inPosition(member: string, column: ColumnName, decimals: 0 | 6): Step {
  return scaled(member, [column, 'positionValid'], hasPosition, ({ columns }, i) => columns[column][i]!, decimals);
}

const hasGpsOk = ({ gpsOkMs }: Listing, i: number): boolean => gpsOkMs[i]! > 0;
function inGpsOk(member: string, column: ColumnName): Step {
  const shows = (listing: Listing, i: number): boolean =>
    hasGpsOk(listing, i) && listing.columns.gpsOkLatitudeMicrodeg[i] !== ABSENT && listing.columns.gpsOkLongitudeMicrodeg[i] !== ABSENT;
  const fields = ['gpsOkMs', 'gpsOkLatitudeMicrodeg', 'gpsOkLongitudeMicrodeg'];
  return scaled(member, fields, shows, ({ columns }, i) => columns[column][i]!, 6);
}

/** A text of the source. */
function ofSource(member: string, textOf: (source: string) => string | undefined): Step {
  const shown = sourceKinds.map(textOf);
  const texts = shown.map((name) => text(name === undefined ? '' : `,"${member}":"${name}"`));
  const firsts = shown.map((name) => shown.indexOf(name));
  return {
    member,
    fields: ['source'],
    shows: ({ columns }, i) => (texts[columns.source[i]!]?.length ?? 0) > 0,
    value: ({ columns }, i) => firsts[columns.source[i]!]!,
    put: ({ area, listing, i }, at) => putText(area.view, at, texts[listing.columns.source[i]!]!),
  };
}

function ofList(member: string, column: 'mlatFields' | 'tisbFields'): Step {
  const opening = text(`,"${member}":[`);
  return {
    member,
    fields: [column],
    shows: always,
    put: ({ area, listing, i }, at) => putList(area.view, at, opening, listing.columns[column][i]!),
  };
}

const decisecondsOf = (ms: number): number => Math.floor((ms + 50) / 100);

/** Members that are not just the value of their column. */
const specialSteps: readonly Step[] = [
  ofSource('type', nativeType),
  ofSource('source', (source) => source),
  {
    member: 'flight',
    fields: ['flight'],
    shows: ({ columns }, i) => columns.flightLength[i]! > 0,
    put: ({ area, source, i }, at) => putFlight(area.view, at, source, i),
  },
  {
    member: 'alt_baro',
    fields: ['onGround', 'altitudeBaroFt'],
    shows: ({ columns }, i) => columns.onGround[i] === 1 || columns.altitudeBaroFt[i] !== ABSENT,
    value: ({ columns }, i) => (columns.onGround[i] === 1 ? ABSENT : columns.altitudeBaroFt[i]!),
    put: ({ area, source, i }, at) => putAltitude(area.view, at, source, i),
  },
  {
    member: 'squawk',
    fields: ['squawk'],
    shows: hasColumn('squawk'),
    put: ({ area, source, i }, at) => putSquawk(area.view, at, source, i),
  },
  {
    member: 'category',
    fields: ['category'],
    shows: ({ columns }, i) => columns.category[i] !== ABSENT && isNativeCategory(categoryNames[columns.category[i]!]!),
    put: ({ area, source, i }, at) => putCategory(area.view, at, source, i),
  },
  inPosition('lat', 'latitudeMicrodeg', 6),
  inPosition('lon', 'longitudeMicrodeg', 6),
  inPosition('nic', 'nic', 0),
  inPosition('rc', 'rcM', 0),
  {
    member: 'seen_pos',
    fields: ['positionMs', 'positionValid'],
    always: true,
    shows: hasPosition,
    put: ({ area, listing, i, nowMs }, at) =>
      putFixed(area.view, putText(area.view, at, SEEN_POSITION), Math.max(0, nowMs - listing.positionMs[i]!), 3),
  },
  {
    member: 'lastPosition',
    fields: ['positionMs', 'positionValid', 'latitudeMicrodeg', 'longitudeMicrodeg', 'nic', 'rcM'],
    always: true,
    shows: (listing, i) => !hasPosition(listing, i) && !Number.isNaN(listing.positionMs[i]),
    put: ({ area, source, i, nowMs }, at) => putPosition(area.view, at, source, i, nowMs),
  },
  scaled('gpsOkBefore', ['gpsOkMs'], hasGpsOk, ({ gpsOkMs }, i) => decisecondsOf(gpsOkMs[i]!), 1),
  inGpsOk('gpsOkLat', 'gpsOkLatitudeMicrodeg'),
  inGpsOk('gpsOkLon', 'gpsOkLongitudeMicrodeg'),
  {
    member: 'acas_ra',
    fields: ['acasRa'],
    shows: ({ advisories }, i) => advisories.has(i),
    put: ({ area, source, i }, at) => putAdvisory(area.view, at, source, i),
  },
  ofList('mlat', 'mlatFields'),
  ofList('tisb', 'tisbFields'),
  {
    member: 'seen',
    fields: ['seenMs'],
    always: true,
    shows: always,
    put: ({ area, listing, i, nowMs }, at) =>
      putFixed(area.view, putText(area.view, at, SEEN), decisecondsOf(Math.max(0, nowMs - listing.seenMs[i]!)), 1),
  },
];
const SEEN = key('seen');
const SEEN_POSITION = key('seen_pos');

/** A member from reference data or the route. Rare, so it may allocate. */
function ofAnnotation(member: string): Step {
  const shownOf = ({ facts, routes }: Listing, i: number): unknown => shownAnnotation(facts[i]!, routes[i]!)[member];
  return {
    member,
    fields: ANNOTATION,
    shows: (listing, i) => shownOf(listing, i) !== undefined,
    put: ({ area, listing, i, before, old }, at) => {
      const shown = shownOf(listing, i);
      if (before !== null && shownOf(before, old) === shown) return at;
      return at + area.bytes.write(`,"${member}":${asciiOnly(JSON.stringify(shown))}`, at, 'latin1');
    },
  };
}

/** A member with the value of its column: a number, one of some texts, or a set of names. */
function plainStep(row: MemberRow): Step {
  const column = columnOf(row);
  const texts = choices(row);
  const fields = [column];
  if (texts === null) return scaled(row.member, fields, hasColumn(column), ({ columns }, i) => columns[column][i]!, row.decimals ?? 0);
  if (row.bits !== undefined)
    return {
      member: row.member,
      fields,
      shows: hasColumn(column),
      put: ({ area, listing, i }, at) => putText(area.view, at, texts[listing.columns[column][i]! & (texts.length - 1)]!),
    };
  return {
    member: row.member,
    fields,
    shows: ({ columns }, i) => (texts[columns[column][i]!]?.length ?? 0) > 0,
    put: ({ area, listing, i }, at) => putChoice(area.view, at, texts, listing.columns[column][i]!),
  };
}

function stepOf(row: MemberRow): Step {
  if (row.from === 'reference') return ofAnnotation(row.member);
  return specialSteps.find(({ member }) => member === row.member) ?? plainStep(row);
}

function maskOf(fields: readonly string[]): Int32Array {
  const mask = new Int32Array(MASK_WORDS);
  for (const field of fields) {
    const bit = changeFields.indexOf(field);
    if (bit < 0) throw new Error(`no change is reported for the field ${field}`);
    mask[bit >> 5]! |= 1 << (bit & 31);
  }
  return mask;
}

/** Members that a plan can have: all but the hex, which is always there. */
const plannedSteps: readonly PlannedStep[] = memberFields
  .filter(({ from, member }) => from !== 'query' && member !== 'hex')
  .map(stepOf)
  .map((step) => ({ ...step, mask: maskOf(step.fields), none: text(`,"${step.member}":null`) }));

/** A plan for some members, or for all. */
export function updatePlan(members: ReadonlySet<string> | null): UpdatePlan {
  const steps = plannedSteps.filter(({ member }) => members === null || members.has(member));
  const mask = new Int32Array(MASK_WORDS);
  for (const step of steps) for (let word = 0; word < MASK_WORDS; word += 1) mask[word]! |= step.mask[word]!;
  return { steps, mask };
}

/** Writes aircraft of one listing, as a whole or as updates since another. */
export class UpdateWriter {
  readonly listing: Listing;
  readonly nowMs: number;
  readonly source: RowSource;
  /** The aircraft that is being written, and its number in the earlier listing; null and −1 for a whole object. */
  i = 0;
  before: Listing | null = null;
  old = -1;
  area: WriteArea;
  private readonly earlier: Listing | null;

  constructor(listing: Listing, nowMs: number, earlier: Listing | null, area: WriteArea) {
    this.listing = listing;
    this.nowMs = nowMs;
    this.earlier = earlier;
    this.area = area;
    this.source = rowSource(listing);
  }

  /** Writes the plan's members of an aircraft as an object. Needs OBJECT_BYTES_MAX bytes; returns the offset after it. */
  putObject(at: number, { steps }: UpdatePlan, i: number): number {
    this.take(i, null, -1);
    let end = this.putHead(at);
    for (const { shows, put } of steps) if (shows(this.listing, i)) end = put(this, end);
    return this.close(end);
  }

  /**
   * Writes the update of an aircraft; `old` is its number in the earlier listing, and `masks` from `maskAt` on is its change.
   * Returns `at` when no member of the plan changed.
   */
  putUpdate(at: number, plan: UpdatePlan, i: number, old: number, masks: Int32Array, maskAt: number): number {
    if (!meets(plan.mask, masks, maskAt)) return at;
    this.take(i, this.earlier, old);
    let end = this.putHead(at);
    for (const step of plan.steps) {
      if (step.always !== true && !meets(step.mask, masks, maskAt)) continue;
      if (step.shows(this.listing, i)) end = this.showsSame(step, i, old) ? end : step.put(this, end);
      else if (step.shows(this.before!, old)) end = putText(this.area.view, end, step.none);
    }
    return this.close(end);
  }

  private showsSame({ value, shows }: Step, i: number, old: number): boolean {
    return value !== undefined && shows(this.before!, old) && value(this.listing, i) === value(this.before!, old);
  }

  private take(i: number, before: Listing | null, old: number): void {
    this.i = i;
    this.before = before;
    this.old = old;
  }

  private putHead(at: number): number {
    const { view } = this.area;
    const end = putHex(view, at, this.listing.columns.key[this.i]!);
    view.setUint8(end, QUOTE);
    return end + 1;
  }

  private close(at: number): number {
    this.area.view.setUint8(at, CLOSE_BRACE);
    return at + 1;
  }
}

function meets(mask: Int32Array, masks: Int32Array, maskAt: number): boolean {
  for (let word = 0; word < MASK_WORDS; word += 1) if ((mask[word]! & masks[maskAt + word]!) !== 0) return true;
  return false;
}
