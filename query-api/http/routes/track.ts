// `/v2/aircraft/{hex}/track`: the recent positions of one aircraft.
import { keyHex } from '../../../pipeline/aircraft/hex-key.ts';
import { json, present } from '../../../pipeline/flights/airports.ts';
import { type Snapshot, seconds } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { recentTrack, type Track } from '../../queries/history/track.ts';
import { pointsText } from '../../queries/history/track-text.ts';
import { parseHex } from '../../queries/selections.ts';
import type { ApiContext } from '../context.ts';
import { metaText } from '../responses/meta.ts';
import { described, flag, mayBeUnknown, upTo } from '../schemas/build.ts';
import { unixSeconds } from '../schemas/envelope.ts';
import { flightSchema, metaOf } from '../schemas/flight.ts';
import { oneHex } from '../schemas/parameters.ts';
import { trackPointSchema } from '../schemas/track.ts';
import type { SnapshotRequest, SnapshotRow } from '../snapshot-routes.ts';

const MS_PER_MINUTE = 60_000;
const { hex, r, t, flight } = flightSchema.properties;
const { trackMinutesMax, trackMinutesDefault, trackPointsMax, trackPointsDefault } = limits;

export const trackRoute: SnapshotRow = {
  path: '/v2/aircraft/:hex/track',
  summary: 'The recent track of an aircraft',
  description:
    'Positions of the last minutes, the oldest first, up to the second of `now`. Steady flight has a position in 20 s; turns, climbs and changes of speed have more. Of more than `limit` positions those stay that show the shape: the first and last, starts of legs, turns and changes of the climb. An aircraft that was heard without positions has an empty list. 503 `history-unavailable` of one that only the history may know, while its store does not answer.',
  params: { hex: oneHex },
  query: {
    minutes: upTo(trackMinutesMax, trackMinutesDefault, 'minutes before `now`', { examples: [60] }),
    limit: upTo(trackPointsMax, trackPointsDefault, 'greatest number of positions', { examples: [100] }),
  },
  response: metaOf(
    {
      ...{ hex, r, t, flight },
      from: unixSeconds('start of the requested span'),
      to: unixSeconds('end of the span; equals `now`'),
      incomplete: flag(
        'true when positions at the start of the span may be missing: the service keeps no history, or its store does not answer; otherwise absent',
      ),
      thinned: flag('true when `limit` left positions out'),
      positions: described('the positions, the oldest first', trackPointSchema),
    },
    ['hex', 'from', 'to', 'thinned', 'positions'],
  ),
  more: mayBeUnknown,
  respond: async ({ context, snapshot, params, query }: SnapshotRequest<{ readonly hex: string }, { minutes: number; limit: number }>) => {
    const key = parseHex(params.hex);
    // A later tick may take the snapshot's memory while the store answers.
    const about = json(aircraftMembers(context, snapshot, key)).slice(1, -1);
    // A response is not newer than its `now`.
    const toMs = snapshot.times.nowMs;
    const version = context.tracks.version(key);
    const track = await recentTrack(context, key, { fromMs: toMs - query.minutes * MS_PER_MINUTE, toMs }, query.limit);
    // Positions of the snapshot's second may still arrive, and the store may come back.
    const variant = `-${version}${track.isIncomplete ? '-incomplete' : ''}`;
    return { make: () => trackText(snapshot, about, track), variant };
  },
};

function trackText(snapshot: Snapshot, about: string, { fromMs, toMs, points, numbers, isThinned, isIncomplete }: Track): string {
  const span = `"from":${seconds(fromMs)},"to":${seconds(toMs)}${isIncomplete ? ',"incomplete":true' : ''},"thinned":${isThinned}`;
  return `${metaText(snapshot, numbers.length)},${about},${span},"positions":[${pointsText(points, numbers)}]}\n`;
}

/** The aircraft's address, and what is known of it. */
function aircraftMembers({ reference }: ApiContext, snapshot: Snapshot, key: number): Record<string, unknown> {
  const number = snapshot.numberOf(key);
  const { listing } = snapshot;
  const facts = number < 0 ? reference.facts(key) : listing.facts[number];
  const flight = number < 0 ? undefined : (listing.flights[number] ?? undefined);
  return present({ hex: keyHex(key), r: facts?.registration, t: facts?.typeDesignator, flight });
}
