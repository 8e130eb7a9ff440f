// Compares the positions of both sides one by one.
import { metresBetween, POSITION_NEAR_M } from './distance.ts';
import type { OurPosition, Tracker } from './ours.ts';
import { refusedByUs } from './reasons.ts';
import type { Case, VerifyTally } from './tally.ts';
import type { TheirPosition } from './theirs.ts';

export class PositionComparison {
  private readonly tally: VerifyTally;
  private readonly slackMs: number;

  constructor(tally: VerifyTally, slackMs: number) {
    this.tally = tally;
    this.slackMs = slackMs;
  }

  /** A position of theirs, received at `timeMs` of our time. `whole`: from a list, which repeats the newest position. */
  compare(tracker: Tracker, position: TheirPosition, timeMs: number, whole: boolean): void {
    const { tally } = this;
    const key = `${position.lat} ${position.lon}`;
    if (whole && key === tracker.theirPositionKey) return;
    tracker.theirPositionKey = key;
    // A line is one position.
    const candidates = tracker.positions.filter(
      (candidate) => Math.abs(candidate.timeMs - timeMs) <= this.slackMs && (whole || !candidate.matched),
    );
    const near = candidates.filter((candidate) => metresBetween(candidate, position) <= POSITION_NEAR_M);
    // Times in lists are rounded; times of lines are exact.
    const found = least(near, (candidate) => (whole ? metresBetween(candidate, position) : Math.abs(candidate.timeMs - timeMs)));
    if (found !== null) {
      found.matched = true;
      tally.distances.add(metresBetween(found, position));
      tally.addTimeDifference(timeMs - found.timeMs);
      return;
    }
    if ((tracker.theirsBeforeUs && tracker.positionsSinceMs === null) || timeMs < tracker.firstMs) return;
    const reason = refusedByUs(tracker, position, timeMs, this.slackMs);
    const far = reason === null ? least(candidates, (candidate) => Math.abs(candidate.timeMs - timeMs)) : null;
    if (reason !== null) {
      tally.positionsExplained += 1;
      tally.addReason(reason, 'lat,lon');
    }
    const metres = far === null ? 0 : metresBetween(far, position);
    if (far === null) tally.positionsOnlyTheirs += 1;
    else {
      far.matched = true;
      tally.positionsFar += 1;
      tally.distances.add(metres);
    }
    const outcome = far === null ? 'onlyTheirs' : 'different';
    this.addCase(tracker, { outcome, timeMs, theirs: `${position.lat},${position.lon}`, reason }, far, metres);
  }

  /** A position of ours leaves the history: it counts as only ours unless theirs reported it. */
  unreported(tracker: Tracker, position: OurPosition): void {
    if (position.matched) return;
    this.tally.positionsOnlyOurs += 1;
    this.addCase(tracker, { outcome: 'onlyOurs', timeMs: position.timeMs, theirs: undefined, reason: null }, position);
  }

  private addCase(
    { hex }: Tracker,
    found: Pick<Case, 'outcome' | 'timeMs' | 'theirs' | 'reason'>,
    ours: OurPosition | null,
    metres = 0,
  ): void {
    const cause = { oursSinceMs: ours?.timeMs ?? null, frame: ours?.frame ?? null };
    const value = ours === null ? undefined : `${ours.lat},${ours.lon}`;
    this.tally.addCase({ field: 'lat,lon', hex, ours: value, ...found, ...cause }, metres);
  }
}

function least<Item>(items: readonly Item[], measure: (item: Item) => number): Item | null {
  let found: Item | null = null;
  for (const item of items) if (found === null || measure(item) < measure(found)) found = item;
  return found;
}
