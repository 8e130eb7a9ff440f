// The network over time, from the samples of the store: means of steps. A step in which the service did not run has no row.
import type { HistoryClient } from '../../../pipeline/store/client.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { badValue } from '../errors.ts';
import type { Span } from './span.ts';

const MS_PER_S = 1000;
const SAMPLE_S = limits.signalWriteMs / MS_PER_S;
/** Lengths of a step, s: a day is a whole number of each, so that steps of all requests begin at the same times. */
export const stepsS = [10, 60, 300, 900, 3600, 10_800, 21_600, 86_400] as const;
export type StepS = (typeof stepsS)[number];

/** `t`: start, Unix s; `covered`: seconds of it that have samples; `aircraft_count`: aircraft with a level. */
type Counts = Record<'t' | 'covered' | 'aircraft_count', number>;
type Traffic = 'aircraft' | 'aircraft_max' | 'with_position' | 'messages_per_second';
type Kinds = 'adsb_icao' | 'mlat' | 'tisb' | 'adsr';
/** Means of a step; null where no sample has the value. Levels in dBFS. */
export type NetworkStep = Readonly<Counts & Record<Traffic | Kinds | 'avg' | 'median' | 'p10' | 'p90', number | null>>;

export interface Steps extends Span {
  readonly stepS: number;
}

const mean = (column: string, divisor = 1): string => `round(avg(${column}) / ${divisor}, 1)`;
const BETWEEN = 'time >= fromUnixTimestamp({from:Int64}) AND time < fromUnixTimestamp({to:Int64})';
const COUNT = `SELECT toUInt32(count()) AS rows FROM signal_history WHERE ${BETWEEN}`;
const ROWS = `SELECT toUInt32(intDiv(toUnixTimestamp(time), {step:UInt32}) * {step:UInt32}) AS t, toUInt32(count() * ${SAMPLE_S}) AS covered,
${mean('aircraft')} AS aircraft, max(aircraft) AS aircraft_max, ${mean('withPosition')} AS with_position,
${mean('messagesDeciPerSecond', 10)} AS messages_per_second,
${mean('adsbIcao')} AS adsb_icao, ${mean('mlat')} AS mlat, ${mean('tisb')} AS tisb, ${mean('adsr')} AS adsr,
${mean('avgDeciDbfs', 10)} AS avg, ${mean('medianDeciDbfs', 10)} AS median, ${mean('p10DeciDbfs', 10)} AS p10, ${mean('p90DeciDbfs', 10)} AS p90,
toUInt32(round(avg(aircraftCount))) AS aircraft_count
FROM signal_history FINAL
WHERE ${BETWEEN}
GROUP BY t
ORDER BY t`;
const settings = {
  max_threads: 1,
  // Values have the names of their columns.
  prefer_column_name_to_alias: 1,
  // Rows of one time are of one day.
  do_not_merge_across_partitions_select_final: 1,
} as const;

/** A span of whole steps: without `step` they are the shortest of which it has no more than `networkStepsDefault`. Error: `api.bad_value` for too many steps. */
export function stepsOf({ fromMs, toMs }: Span, step: StepS | undefined): Steps {
  const { networkStepsMax, networkStepsDefault } = limits;
  const ample = stepsS.find((each) => toMs - fromMs <= networkStepsDefault * each * MS_PER_S) ?? stepsS.at(-1)!;
  const stepS = step ?? ample;
  const stepMs = stepS * MS_PER_S;
  const steps = { fromMs: Math.floor(fromMs / stepMs) * stepMs, toMs: Math.ceil(toMs / stepMs) * stepMs, stepS };
  if (steps.toMs - steps.fromMs > networkStepsMax * stepMs)
    throw badValue('step', String(stepS), `expected at most ${networkStepsMax} steps between \`from\` and \`to\``);
  return steps;
}

/** Number of samples, which only grows. Errors: those of the client. */
export async function networkSamples(client: HistoryClient, signal: AbortSignal, steps: Steps): Promise<number> {
  const [row] = await client.rows<{ rows: number }>(COUNT, parametersOf(steps), { signal, settings });
  return row!.rows;
}

/** The steps that have samples, the oldest first. Errors: those of the client. */
export function networkRows(client: HistoryClient, signal: AbortSignal, steps: Steps): Promise<NetworkStep[]> {
  return client.rows<NetworkStep>(ROWS, parametersOf(steps), { signal, settings });
}

function parametersOf({ fromMs, toMs, stepS }: Steps) {
  return { from: fromMs / MS_PER_S, to: toMs / MS_PER_S, step: stepS };
}
