// Rebuild of the view at 20,000 aircraft compared with JSON.stringify of the same aircraft, and reading their states compared with JSON.parse into a Map.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openData } from '../../pipeline/log/open-data.ts';
import { ChangeFinder, changeFields } from '../../pipeline/view/changes.ts';
import type { Listing } from '../../pipeline/view/listing.ts';
import { aircraftObject } from '../../pipeline/view/plain.ts';
import { SnapshotBuilder } from '../../pipeline/view/snapshot.ts';
import { LiveTable } from '../../pipeline/view/table.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { completed, locatedAircraft } from './aircraft.ts';
import { type Bench, costFigure, type Figure, measure } from './harness.ts';

const AIRCRAFT = 20_000;
/** Rebuilds per round: one is too short for the CPU clock. */
const REPEATS = 10;

async function rebuildFigure(name: string, states: readonly AircraftState[], what: string): Promise<Figure> {
  const nowMs = Math.max(...states.map(({ seenMs }) => seenMs));
  const table = new LiveTable();
  for (const state of states) table.applyState(state);
  const builder = new SnapshotBuilder(table, () => nowMs, 'bench');
  const ours = await measure(() => {
    for (let i = 1; i <= REPEATS; i += 1) builder.build(nowMs + i, i);
  });
  const snapshot = builder.current!;
  const lists = (['native', 'readsb'] as const).map((view) => states.map((state) => aircraftObject(state, nowMs, view)));
  let bytes = 0;
  const plain = await measure(() => {
    for (let i = 1; i <= REPEATS; i += 1)
      for (const ac of lists) bytes = Buffer.from(JSON.stringify({ now: nowMs / 1000, messages: i, total: ac.length, ac })).length;
  });
  if (snapshot.totals.total !== states.length || bytes === 0)
    throw new Error(`${snapshot.totals.total} of ${states.length} aircraft listed`);
  const megabytes = ((snapshot.body('native').length + snapshot.body('readsb').length) / 1e6).toFixed(1);
  const input = `${states.length} aircraft, ${what}; /v2/all and /data/aircraft.json, ${megabytes} MB together; CPU time; reference: JSON.stringify of both lists of ready objects`;
  return costFigure(name, 'ms', milliseconds(ours.cpuS), milliseconds(plain.cpuS), input);
}

/** `folder` is for the registry of an empty log. */
async function applyFigure(folder: string, states: readonly AircraftState[]): Promise<Figure> {
  const { log, codecs } = await openData(folder, 'write');
  const codec = codecs.AircraftState;
  const values = states.map((state) => codec.encode(state));
  await log.close();
  const table = new LiveTable();
  const ours = await measure(() => {
    for (let i = 0; i < REPEATS; i += 1) for (const value of values) table.applyValue(codec, value);
  });
  const texts = states.map((state) => Buffer.from(JSON.stringify(state)));
  const aircraft = new Map<string, AircraftState>();
  const plain = await measure(() => {
    for (let i = 0; i < REPEATS; i += 1)
      for (const text of texts) {
        const state = JSON.parse(text.toString()) as AircraftState;
        aircraft.set(state.hex, state);
      }
  });
  if (table.size !== aircraft.size) throw new Error(`${table.size} aircraft in the table, ${aircraft.size} in the Map`);
  const size = (list: readonly Buffer[]): number => Math.round(list.reduce((sum, { length }) => sum + length, 0) / list.length);
  const input = `${states.length} states as simulated, Avro of ${size(values)} bytes each, read into the table's columns; CPU time; reference: JSON of ${size(texts)} bytes each, parsed and put into a Map`;
  return costFigure('view-apply', 'ms', milliseconds(ours.cpuS), milliseconds(plain.cpuS), input);
}

/** Aircraft of a tick that push subscribers follow; each has sent a position and an altitude since the previous tick. */
const CHANGING = 15_000;

async function changesFigure(states: readonly AircraftState[]): Promise<Figure> {
  const nowMs = Math.max(...states.map(({ seenMs }) => seenMs));
  const later = states.map((state) => ({
    ...state,
    seenMs: nowMs,
    latitudeMicrodeg: state.latitudeMicrodeg! + 1000,
    altitudeBaroFt: (state.altitudeBaroFt ?? 0) + 25,
  }));
  const table = new LiveTable();
  const builder = new SnapshotBuilder(table, () => nowMs, 'bench');
  const [before, after] = [states, later].map((tick) => {
    for (const state of tick) table.applyState(state);
    const snapshot = builder.build(nowMs, 0);
    snapshot.retain();
    return snapshot.listing;
  }) as [Listing, Listing];
  const finder = new ChangeFinder();
  let changed = 0;
  const ours = await measure(() => {
    for (let i = 0; i < REPEATS; i += 1) changed = finder.find(before, after).changed.length;
  });
  const olds = new Map(states.map((state) => [state.hex, state]));
  let different = 0;
  const plain = await measure(() => {
    for (let i = 0; i < REPEATS; i += 1) different = later.filter((state) => differences(olds.get(state.hex)!, state).length > 0).length;
  });
  if (changed !== states.length || different !== changed)
    throw new Error(`${changed} and ${different} of ${states.length} aircraft changed`);
  const input = `${states.length} aircraft, all of which sent a position and an altitude; ${changeFields.length} fields each; CPU time; reference: the same objects compared member by member`;
  return costFigure('view-changes', 'ms', milliseconds(ours.cpuS), milliseconds(plain.cpuS), input);
}

function differences(before: AircraftState, after: AircraftState): string[] {
  return (Object.keys(after) as (keyof AircraftState)[]).filter((name) => after[name] !== before[name]);
}

function milliseconds(cpuS: number): number {
  return (1000 * cpuS) / REPEATS;
}

export const viewBench: Bench = {
  name: 'view',
  summary: `a rebuild of all bodies, and reading all states, at ${AIRCRAFT} aircraft; the changes of a tick, at ${CHANGING}`,
  async run() {
    const states = locatedAircraft(AIRCRAFT);
    const folder = mkdtempSync(join(tmpdir(), 'squitter-bench-'));
    try {
      return [
        await rebuildFigure('view-rebuild', states.map(completed), 'a value in every field'),
        await rebuildFigure('view-rebuild-simulated', states, 'fields as the fold knows them from simulated traffic'),
        await applyFigure(folder, states),
        await changesFigure(states.slice(0, CHANGING)),
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
