// How a feeder does, in words: what is wrong, and what its owner can do. A pure function of what is known of it.
import type { Feeder } from '../../pipeline/feeders/feeder.ts';
import { FEEDER_ROW_MS, type FeederHistoryRow } from '../../schemas/feeder-history.ts';
import { greatestRanges } from './series.ts';

export const troubleCodes = ['no-data', 'silent', 'contradicted', 'late', 'range-fell'] as const;
export interface Trouble {
  readonly code: (typeof troubleCodes)[number];
  readonly text: string;
  /** The advice. */
  readonly advice: string;
}

export const healthStates = ['fine', 'waiting', 'trouble'] as const;
export interface Health {
  readonly state: (typeof healthStates)[number];
  /** One sentence. */
  readonly text: string;
  readonly troubles: readonly Trouble[];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The fold writes counts once a minute: this late they are missing. */
const SILENT_MS = 3 * MINUTE_MS;
/** Positions that others refused in a minute; fewer decide nothing. */
const ENOUGH_REFUSED = 10;
const LATE_MS = 2000;
/** Ranges of this many hours are compared with those of the same hours yesterday, if half of the time was heard. */
const COMPARED_MS = 6 * HOUR_MS;
const ENOUGH_ROWS = COMPARED_MS / FEEDER_ROW_MS / 2;
/** The mean over all directions falls to less than this share, from at least so many nm. */
const FALLEN_SHARE = 0.7;
const FALLEN_FROM_NM = 20;
const DIRECTIONS = 'N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW'.split(' ');

/** History before this is of no use here. */
export const HEALTH_MS = DAY_MS + COMPARED_MS;

/** `rows`: history of the last `HEALTH_MS`; `feederAddress`: where feeders send to. */
export function healthOf(feeder: Feeder, rows: readonly FeederHistoryRow[], nowMs: number, feederAddress: string | null): Health {
  const missing = noData(feeder, nowMs, feederAddress) ?? silent(feeder, nowMs);
  if (missing !== null) return trouble([missing]);
  const found = [contradicted(feeder, nowMs), late(feeder), rangeFell(rows, nowMs)].filter((each) => each !== null);
  if (found.length > 0) return trouble(found);
  const { recent, counts } = feeder;
  if (recent === null) return { state: 'waiting', text: 'Connected: the first counts come within two minutes.', troubles: [] };
  const farthest = Math.max(...counts.rangeNm);
  const range = farthest === 0 ? '' : `, farthest ${farthest} nm`;
  const text = `Fine: ${rateText(recent.framesPerS)} messages a second, ${counts.aircraft} aircraft${range}.`;
  return { state: 'fine', text, troubles: [] };
}

function trouble(troubles: readonly Trouble[]): Health {
  return { state: 'trouble', text: troubles[0]!.text, troubles };
}

function noData({ connectedUntilMs, lastSeenMs }: Feeder, nowMs: number, address: string | null): Trouble | null {
  if (nowMs < connectedUntilMs) return null;
  const sinceText = lastSeenMs === 0 ? 'it was never connected' : `it has not been connected for ${durationText(nowMs - lastSeenMs)}`;
  const where = address === null ? 'to this service' : `to port ${address.slice(address.lastIndexOf(':') + 1)} of this service`;
  return {
    code: 'no-data',
    text: `No data: ${sinceText}.`,
    advice: `Look whether the receiver runs and sends ${where}: the page "Feed it" has the settings.`,
  };
}

function silent({ status, counts }: Feeder, nowMs: number): Trouble | null {
  const sinceMs = Math.max(counts.heardMs, status?.connectedMs ?? 0);
  if (nowMs - sinceMs < SILENT_MS) return null;
  return {
    code: 'silent',
    text: `Connected, but silent: no message for ${durationText(nowMs - sinceMs)}.`,
    advice: 'Look at the antenna, its cable, and the log of the program that reads it.',
  };
}

/** The fold takes the tier from a feeder that the others contradict: one that is still a Contributor is not meant. */
function contradicted({ recent, contributorUntilMs }: Feeder, nowMs: number): Trouble | null {
  if (recent === null || nowMs < contributorUntilMs) return null;
  const { positions, disagreements } = recent;
  if (disagreements < ENOUGH_REFUSED || disagreements <= positions) return null;
  return {
    code: 'contradicted',
    text: `Others contradict it: ${disagreements} of its last ${disagreements + positions} positions were refused.`,
    advice:
      'Send only what the antenna hears: no recording, no simulation, no positions of MLAT, no messages of other receivers. Until then it is no Contributor.',
  };
}

function late({ counts: { lateMs } }: Feeder): Trouble | null {
  if (lateMs < LATE_MS) return null;
  return {
    code: 'late',
    text: `Late: its messages come ${(lateMs / 1000).toFixed(1)} s after the same ones of other receivers.`,
    advice: 'Its clock is wrong, or something holds messages back. Set the clock by NTP, and send without a relay that collects messages.',
  };
}

function rangeFell(rows: readonly FeederHistoryRow[], nowMs: number): Trouble | null {
  const between = (fromMs: number, toMs: number) => rows.filter(({ timeMs }) => timeMs >= fromMs && timeMs < toMs);
  const today = between(nowMs - COMPARED_MS, nowMs);
  const yesterday = between(nowMs - COMPARED_MS - DAY_MS, nowMs - DAY_MS);
  if (Math.min(today.length, yesterday.length) < ENOUGH_ROWS) return null;
  const [ranges, before] = [greatestRanges(today), greatestRanges(yesterday)];
  const [mean, meanBefore] = [meanOf(ranges), meanOf(before)];
  if (meanBefore < FALLEN_FROM_NM || mean >= FALLEN_SHARE * meanBefore) return null;
  const losses = before.map((range, i) => range - ranges[i]!);
  const worst = DIRECTIONS[losses.indexOf(Math.max(...losses))]!;
  return {
    code: 'range-fell',
    text: `Its range fell: ${Math.round(mean)} nm on average in the last 6 hours, ${Math.round(meanBefore)} nm in the same hours yesterday, most towards ${worst}.`,
    advice: 'Look for a loose plug, water in the cable, or something new before the antenna.',
  };
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function rateText(perS: number): string {
  return perS < 10 ? perS.toFixed(1) : String(Math.round(perS));
}

function durationText(ms: number): string {
  const [count, unit] = ms < 2 * HOUR_MS ? [ms / MINUTE_MS, 'minute'] : ms < 2 * DAY_MS ? [ms / HOUR_MS, 'hour'] : [ms / DAY_MS, 'day'];
  const whole = Math.max(1, Math.floor(count));
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}
