// Positions of both sides, one by one: each of theirs beside the one of ours that it should be.
import { metresBetween, POSITION_NEAR_M } from './verify-distance.ts';
import type { OurPlace, Tracker } from './verify-ours.ts';
import { refusedByUs } from './verify-reasons.ts';
import type { FieldOutcome, VerifyTally } from './verify-tally.ts';
import type { TheirPlace } from './verify-theirs.ts';

export class PlaceComparison {
  private readonly tally: VerifyTally;
  private readonly slackMs: number;

  constructor(tally: VerifyTally, slackMs: number) {
    this.tally = tally;
    this.slackMs = slackMs;
  }

  /** A place of theirs, received at `timeMs` of our time. `whole`: out of a list, which shows the newest place again and again. */
  compare(tracker: Tracker, place: TheirPlace, timeMs: number, whole: boolean): void {
    const { tally } = this;
    const key = `${place.lat} ${place.lon}`;
    if (whole && key === tracker.theirPlaceKey) return;
    tracker.theirPlaceKey = key;
    // A line stands for one position of its own.
    const candidates = tracker.places.filter(
      (candidate) => Math.abs(candidate.timeMs - timeMs) <= this.slackMs && (whole || !candidate.matched),
    );
    const near = candidates.filter((candidate) => metresBetween(candidate, place) <= POSITION_NEAR_M);
    // Times in lists are rounded, times of lines are exact.
    const found = least(near, (candidate) => (whole ? metresBetween(candidate, place) : Math.abs(candidate.timeMs - timeMs)));
    if (found !== null) {
      found.matched = true;
      tally.distances.add(metresBetween(found, place));
      tally.addTimeDifference(timeMs - found.timeMs);
      return;
    }
    if ((tracker.theirsBeforeUs && !tracker.everPlaced) || timeMs < tracker.firstMs) return;
    const reason = refusedByUs(tracker, place, timeMs, this.slackMs);
    const far = reason === null ? least(candidates, (candidate) => Math.abs(candidate.timeMs - timeMs)) : null;
    if (reason !== null) {
      tally.placesExplained += 1;
      tally.addReason(reason, 'lat,lon');
    }
    const metres = far === null ? 0 : metresBetween(far, place);
    if (far === null) tally.placesOnlyTheirs += 1;
    else {
      far.matched = true;
      tally.placesFar += 1;
      tally.distances.add(metres);
    }
    this.addCase(tracker, far === null ? 'onlyTheirs' : 'different', timeMs, `${place.lat},${place.lon}`, far, metres, reason);
  }

  /** A place of ours left memory, and should have been told if theirs has it. */
  untold(tracker: Tracker, place: OurPlace): void {
    if (place.matched) return;
    this.tally.placesOnlyOurs += 1;
    this.addCase(tracker, 'onlyOurs', place.timeMs, undefined, place, 0, null);
  }

  private addCase(
    { hex }: Tracker,
    outcome: FieldOutcome,
    timeMs: number,
    theirs: string | undefined,
    ours: OurPlace | null,
    metres: number,
    reason: string | null,
  ): void {
    const cause = { oursSinceMs: ours?.timeMs ?? null, frame: ours?.frame ?? null, reason };
    const value = ours === null ? undefined : `${ours.lat},${ours.lon}`;
    this.tally.addCase({ field: 'lat,lon', outcome, hex, timeMs, theirs, ours: value, ...cause }, metres);
  }
}

function least<Item>(items: readonly Item[], measure: (item: Item) => number): Item | null {
  let found: Item | null = null;
  for (const item of items) if (found === null || measure(item) < measure(found)) found = item;
  return found;
}
