// Rebuild of the view at 20,000 aircraft beside JSON.stringify of the same aircraft, and reading their states beside JSON.parse into a Map. CPU time.
import { aircraftObject, views } from '../../pipeline/aircraft/plain.ts';
import { LiveTable } from '../../pipeline/aircraft/table.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { SnapshotBuilder } from '../../pipeline/view/snapshot.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { withFolder } from './children.ts';
import { type Bench, costFigure, type Figure, measure } from './harness.ts';
import { completed, locatedAircraft } from './states.ts';

const AIRCRAFT = 20_000;
/** Rebuilds per round: one is too short for the CPU clock. */
const REPEATS = 10;

/** CPU time of a call, ms. */
function costMs(work: (turn: number) => void): number {
  const cpuS = measure(() => {
    for (let turn = 1; turn <= REPEATS; turn += 1) work(turn);
  });
  return (1000 * cpuS) / REPEATS;
}

function rebuildFigure(name: string, states: readonly AircraftState[], what: string): Figure {
  const nowMs = Math.max(...states.map(({ seenMs }) => seenMs));
  const table = new LiveTable();
  for (const state of states) table.applyState(state);
  const builder = new SnapshotBuilder(table, () => nowMs, 'bench');
  const ours = costMs((turn) => {
    const snapshot = builder.build(nowMs + turn, turn);
    for (const view of views) snapshot.body(view);
  });
  const { total } = builder.current!.totals;
  if (total !== states.length) throw new Error(`${total} of ${states.length} aircraft listed`);
  const lists = views.map((view) => states.map((state) => aircraftObject(state, nowMs, view)));
  const value = costMs(() => {
    for (const ac of lists) Buffer.from(JSON.stringify({ now: nowMs / 1000, messages: 1, total: ac.length, ac }));
  });
  const input = `${states.length} aircraft, ${what}; /v2/all and /data/aircraft.json; CPU time`;
  return costFigure(name, 'ms', ours, input, { value, what: 'JSON.stringify of both lists of ready objects' });
}

/** `folder` is for the registry of an empty log. */
async function applyFigure(folder: string, states: readonly AircraftState[]): Promise<Figure> {
  const { log, codecs } = await openData(folder, 'write');
  const codec = codecs.AircraftState;
  const values = states.map((state) => codec.encode(state));
  await log.close();
  const table = new LiveTable();
  const ours = costMs(() => {
    for (const value of values) table.applyValue(codec, value);
  });
  const texts = states.map((state) => Buffer.from(JSON.stringify(state)));
  const aircraft = new Map<string, AircraftState>();
  const value = costMs(() => {
    for (const text of texts) {
      const state = JSON.parse(text.toString()) as AircraftState;
      aircraft.set(state.hex, state);
    }
  });
  if (table.size !== aircraft.size) throw new Error(`${table.size} aircraft in the table, ${aircraft.size} in the Map`);
  const input = `${states.length} states as simulated, read from Avro into the table's columns; CPU time`;
  return costFigure('view-apply', 'ms', ours, input, { value, what: 'the same as JSON, parsed and put into a Map' });
}

export const viewBench: Bench = {
  name: 'view',
  summary: `a rebuild of all bodies, and reading all states, at ${AIRCRAFT} aircraft`,
  run() {
    const states = locatedAircraft(AIRCRAFT);
    return withFolder(async (folder) => {
      return [
        rebuildFigure('view-rebuild', states.map(completed), 'a value in every field'),
        rebuildFigure('view-rebuild-simulated', states, 'fields as the fold knows them from simulated traffic'),
        await applyFigure(folder, states),
      ];
    });
  },
};
