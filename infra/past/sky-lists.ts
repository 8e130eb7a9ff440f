// Lists of the past: the sky of a moment and the routes of the live service over it. The thread that shows the past loads this while the first moment is folded.
import { Sky } from '../../pipeline/past/sky.ts';
import { openReference } from '../../pipeline/reference/open-reference.ts';
import { EncodedBodies } from '../../pipeline/view/encodings.ts';
import type { LiveView } from '../../pipeline/view/live-view.ts';
import { MeasuredReceivers } from '../../pipeline/view/measured-receivers.ts';
import { PastApp } from '../../query-api/http/past-app.ts';
import { storedStates } from '../../query-api/queries/history/stored-sky.ts';
import { readModel } from '../../query-api/queries/read-model.ts';
import { simulatedTypes, withSimulatedTypes } from '../services/simulated-facts.ts';
import { openSource, type SkyThreadData } from './source.ts';

/** Errors: those of `openSource`. */
export async function openLists({ source, referenceFolder, simulatedAircraft }: SkyThreadData) {
  const { reference, close: closeReference } = await openReference({ folder: referenceFolder, clock: Date.now });
  const facts = withSimulatedTypes(reference, await simulatedTypes(simulatedAircraft), () => true);
  const { log, codecs } = await openSource(source);
  const sky = new Sky(codecs.AircraftState, facts, Date.now);
  const view: LiveView = {
    current: () => sky.current,
    onSnapshot: () => () => {},
    isReady: () => true,
    isKnown: () => false,
    receivers: new MeasuredReceivers(),
    bodies: new EncodedBodies(new Map(), () => 0),
    compressors: new Map(),
  };
  // Ages count from the moment itself: no aircraft is too old to be shown.
  const model = readModel({ view, reference, clock: () => sky.current?.times.nowMs ?? 0, steadyMs: () => 0 });
  const folded = new PastApp(model);
  const stored = new PastApp(model, true);
  return {
    sky,
    folded,
    stored,
    storedStates,
    async close(): Promise<void> {
      await folded.close();
      await stored.close();
      await closeReference();
      await log.close();
    },
  };
}
