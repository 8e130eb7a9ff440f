// `squitter fold`: folds a file in event time and prints aircraft objects of the readsb view.
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { aircraftObject, isListed } from '../aircraft/plain.ts';
import { createFrameOutcome } from '../fold/frame-outcome.ts';
import { PartitionFold } from '../fold/partition-fold.ts';
import { TICK_MS } from '../fold/worker.ts';
import type { FileRow } from '../ingest/file-reader.ts';
import { defineCommand, EXIT_DONE, writeTo } from '../runtime/command.ts';
import { flagOption, oneOf } from '../runtime/options.ts';
import { fileOptions, printChunks } from './file-options.ts';

const US_PER_S = 1_000_000;
const emits = ['position', '1s', 'end'] as const;
type Emit = (typeof emits)[number];

export const foldCommand = defineCommand({
  name: 'fold',
  summary: 'aircraft at every position, every second or at the end, in event time',
  words: 'FILE',
  wordsMin: 1,
  wordsMax: 1,
  details:
    'Prints aircraft objects as in /data/aircraft.json, each with `now`, one per line. `position`: at every accepted\n' +
    'position, the aircraft that sent it. `1s`: at every whole second of event time, those that /data/aircraft.json would\n' +
    'list then: with a valid position, or with two messages, one of them within 60 s. `end`: all aircraft known at the end.',
  examples: ['squitter fold recording.beast --emit end', 'squitter fold frames.csv --emit position --receiver 51.99,4.37'],
  options: {
    ...fileOptions,
    emit: flagOption('emit', 'WHEN', emits.join(', '), oneOf(emits), 'end' as const),
  },
  async run({ options, words, ...io }) {
    const fold = new PartitionFold({ tickMs: TICK_MS, receiver: options.receiver });
    const printer = new Printer(fold, options.emit);
    await printChunks(words[0]!, options.start, io, (chunk) => {
      for (const frame of chunk.frames) printer.frame(frame);
      return printer.text();
    });
    printer.end();
    await writeTo(io.stdout, printer.text());
    return EXIT_DONE;
  },
});

/** Folds frame by frame and collects the lines to print. */
class Printer {
  private readonly fold: PartitionFold;
  private readonly emit: Emit;
  private readonly outcome = createFrameOutcome();
  private readonly lines: string[] = [];
  private lastUs = 0;
  /** The next second to print; null before the first frame. */
  private nextSecond: number | null = null;

  constructor(fold: PartitionFold, emit: Emit) {
    this.fold = fold;
    this.emit = emit;
  }

  frame(frame: FileRow): void {
    const { fold, emit, outcome } = this;
    const receiver = fold.receiverNumber(frame.receiverId);
    const eventUs = fold.datedUs(frame.timeUs, receiver);
    this.lastUs = Math.max(this.lastUs, eventUs);
    if (emit === '1s') this.printSeconds(Math.floor(this.lastUs / US_PER_S));
    fold.advance(eventUs, null);
    fold.applyFrame(frame, receiver, outcome);
    if (emit !== 'position' || !outcome.positionAccepted) return;
    const nowMs = Math.floor(eventUs / 1000);
    this.print(fold.state(outcome.slot, nowMs), nowMs);
  }

  end(): void {
    if (this.emit !== 'end') return;
    const nowMs = Math.floor(this.lastUs / 1000);
    for (const slot of this.fold.liveSlots()) this.print(this.fold.state(slot, nowMs), nowMs);
  }

  /** Prints the pending seconds up to this one, in the state before the current frame. */
  private printSeconds(second: number): void {
    this.nextSecond ??= second + 1;
    // Aircraft only leave the list while there are no frames: after a second without aircraft the rest of a gap is empty too.
    for (let listed = 1; this.nextSecond <= second && listed > 0; this.nextSecond += 1) listed = this.printListed(1000 * this.nextSecond);
    this.nextSecond = Math.max(this.nextSecond, second + 1);
  }

  private printListed(nowMs: number): number {
    let listed = 0;
    for (const slot of this.fold.liveSlots()) {
      const state = this.fold.state(slot, nowMs);
      if (!isListed(state, nowMs)) continue;
      listed += 1;
      this.print(state, nowMs);
    }
    return listed;
  }

  private print(state: AircraftState, nowMs: number): void {
    this.lines.push(`${JSON.stringify({ now: nowMs / 1000, ...aircraftObject(state, nowMs, 'readsb') })}\n`);
  }

  /** The lines since the last call. */
  text(): string {
    return this.lines.splice(0).join('');
  }
}
