// Counts of a feeder by minutes: when a record is due, Contributors, contradicted minutes, ranges, aircraft, signal, and what a snapshot keeps of them.
import { describe, expect, it } from 'vitest';
import { type Centre, COMPARED_MIN, CONTRIBUTOR_FRAMES, CONTRIBUTOR_MS, FeederRows } from './feeder-rows.ts';

const BASE = 1_700_000_040_000;
const ID = '0123456789abcdef';
const HOME = { latitudeMicrodeg: 50_000_000, longitudeMicrodeg: 8_000_000 };

/** One feeder, fed frames and ticks; `tickS` is seconds after the base, which is the start of a minute. */
class Run {
  readonly rows = new FeederRows();
  counts = { frames: 0, positions: 0, corroborated: 0, disagreements: 0, clean: 0, cleanMs: 0, cleanSquares: 0 };
  centre: Centre = null;
  private lastS = 0;

  constructor() {
    this.rows.add(1, 'simulated');
    this.rows.add(2, ID);
    this.rows.add(3, `${ID}-01234567`);
  }

  /** Clean frames. */
  frames(count: number, signal = 0): this {
    const { counts } = this;
    counts.frames += count;
    counts.clean += count;
    counts.cleanMs = BASE + 1000 * this.lastS;
    counts.cleanSquares += count * signal * signal;
    return this;
  }

  /** True when a record is due. */
  tick(tickS: number): boolean {
    this.rows.takeNotes();
    const due = this.rows.closeTick(
      BASE + 1000 * this.lastS,
      BASE + 1000 * tickS,
      () => ({ ...this.counts }),
      () => this.centre,
    );
    this.lastS = tickS;
    expect(due.length).toBeLessThanOrEqual(1);
    return due.length === 1;
  }

  get record() {
    return this.rows.recordOf(1);
  }

  get untilS(): number {
    return (this.record.contributorUntilMs - BASE) / 1000;
  }
}
const DAY_S = CONTRIBUTOR_MS / 1000;

describe('a record is due', () => {
  it('at the end of each minute in which the feeder was heard, and once more when it falls silent', () => {
    const run = new Run();
    expect([
      run.tick(1),
      run.frames(1).tick(59),
      run.tick(60),
      run.tick(119),
      run.tick(120),
      run.tick(180),
      run.frames(1).tick(300),
    ]).toEqual([...[false, false, true, false, true, false, true]]);
  });
});

describe('a Contributor', () => {
  it('begins at the tick after 100 clean DF 17 in ten minutes, and lasts 24 h after the last', () => {
    const run = new Run();
    expect(run.frames(CONTRIBUTOR_FRAMES - 1).tick(1)).toBe(false);
    expect([run.frames(1).tick(2), run.untilS]).toEqual([true, 1 + DAY_S]);
    expect([run.frames(50).tick(3), run.tick(60), run.untilS]).toEqual([false, true, 2 + DAY_S]);
    // One more is enough while it lasts.
    expect([run.tick(7200), run.frames(1).tick(7260), run.untilS]).toEqual([true, true, 7200 + DAY_S]);
    // After that a hundred again.
    run.tick(7200 + DAY_S + 60);
    expect([run.frames(99).tick(7200 + DAY_S + 120), run.untilS]).toEqual([true, 7200 + DAY_S]);
    expect([run.frames(1).tick(7200 + DAY_S + 121), run.untilS]).toEqual([true, 7200 + DAY_S + 120 + DAY_S]);
  });

  it('does not begin by frames of more than ten minutes', () => {
    const run = new Run();
    for (let minute = 1; minute <= 30; minute += 1) run.frames(9).tick(60 * minute);
    expect(run.record.contributorUntilMs).toBe(0);
    for (let minute = 31; minute <= 40; minute += 1) run.frames(10).tick(60 * minute);
    expect(run.record.contributorUntilMs).toBeGreaterThan(0);
  });

  it('ends in a minute in which others contradict most of its positions, and none of its frames count', () => {
    const run = new Run();
    run.frames(200).tick(1);
    expect(run.untilS).toBe(DAY_S);
    run.counts.positions += COMPARED_MIN;
    run.counts.disagreements += COMPARED_MIN;
    // As many for it as against it.
    expect([run.tick(60), run.untilS, run.rows.contradicted]).toEqual([true, DAY_S, 0]);
    run.counts.disagreements += COMPARED_MIN;
    expect([run.frames(500).tick(61), run.tick(120), run.untilS, run.rows.contradicted]).toEqual([false, true, 120, 1]);
    // Prompt duplicates speak for it.
    run.counts.disagreements += COMPARED_MIN;
    run.counts.corroborated += COMPARED_MIN;
    expect([run.frames(99).tick(180), run.untilS, run.rows.contradicted]).toEqual([true, 120, 0]);
    expect([run.frames(1).tick(181), run.untilS]).toEqual([true, 180 + DAY_S]);
  });
});

describe('of the last whole minute', () => {
  it('are aircraft and signal, until the next one ends', () => {
    const run = new Run();
    for (const slot of [0, 500, 500]) run.rows.notePosition(2, slot, 0, 0);
    // Another's aircraft are not its own.
    run.rows.notePosition(1, 7, 0, 0);
    run.frames(2, 255).tick(60);
    expect(run.record).toMatchObject({ aircraft: 2, signalDecidb: 0 });
    run.rows.notePosition(2, 31, 0, 0);
    run.frames(1).tick(90);
    expect(run.record).toMatchObject({ aircraft: 2, signalDecidb: 0 });
    run.tick(120);
    expect(run.record).toMatchObject({ aircraft: 1, signalDecidb: null });
    run.tick(180);
    expect(run.record).toMatchObject({ aircraft: 0, signalDecidb: null });
  });

  it('is the greatest range in each direction, once the middle of its coverage is known', () => {
    const run = new Run();
    const { latitudeMicrodeg: latitude, longitudeMicrodeg: longitude } = HOME;
    run.rows.notePosition(2, 0, latitude + 1_000_000, longitude);
    run.centre = HOME;
    run.frames(1).tick(60);
    expect(run.record.rangeNm).toEqual(new Array(16).fill(0));
    const positions = [
      [1_000_000, 0],
      [3_000_000, 0],
      [2_000_000, 0],
      [0, 1_000_000],
      [-2_000_000, 0],
      [0, -1_500_000],
      [1_000_000, 1_500_000],
    ] as const;
    for (const [north, east] of positions) run.rows.notePosition(2, 0, latitude + north, longitude + east);
    run.rows.notePosition(1, 0, latitude + 4_000_000, longitude);
    run.frames(1).tick(120);
    // 60 nm to a degree of latitude, 38.6 to one of longitude here.
    expect(run.record.rangeNm).toEqual([180, 0, 83, 0, 39, 0, 0, 0, 120, 0, 0, 0, 58, 0, 0, 0]);
    run.frames(1).tick(180);
    expect(run.record.rangeNm).toEqual(new Array(16).fill(0));
  });
});
