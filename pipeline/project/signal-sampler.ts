// Signal levels and counts of aircraft: every 2 s the samples that the live view has completed since.

import { signalHistory } from '../../schemas/clickhouse/tables.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { SignalSample } from '../view/signal-history.ts';
import { cellsOf, type SampledTable } from './row-sampler.ts';

const deci = (value: number | null): number | null => (value === null ? null : Math.round(10 * value));

export const sampledSignals: SampledTable<SignalSample> = {
  table: signalHistory,
  cells: cellsOf<SignalSample>(signalHistory, {
    time: ({ timeMs }) => Math.floor(timeMs / 1000),
    avgDeciDbfs: ({ avg }) => deci(avg),
    medianDeciDbfs: ({ median }) => deci(median),
    p10DeciDbfs: ({ p10 }) => deci(p10),
    p90DeciDbfs: ({ p90 }) => deci(p90),
    aircraftCount: ({ aircraftCount }) => aircraftCount,
    aircraft: ({ counts }) => counts?.total ?? null,
    withPosition: ({ counts }) => counts?.withPosition ?? null,
    messagesDeciPerSecond: ({ counts }) => deci(counts?.messagesPerSecond ?? null),
    adsbIcao: ({ counts }) => counts?.sources.adsb_icao ?? null,
    mlat: ({ counts }) => counts?.sources.mlat ?? null,
    tisb: ({ counts }) => counts?.sources.tisb ?? null,
    adsr: ({ counts }) => counts?.sources.adsr ?? null,
  }),
  keyOf: ({ timeMs }) => timeMs,
  pendingMax: limits.signalPendingMax,
};
