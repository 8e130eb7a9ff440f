// The three ways in which `squitter verify` brings frames and answers together, each over one comparer:
// a file in its own time against recorded answers, a file sent to a running program, and a live feed that both listen to.
import { setTimeout as sleep } from 'node:timers/promises';
import { createEventClock } from '../ingest/event-clock.ts';
import { FeederRegistry } from '../ingest/feeder-registry.ts';
import { chunkFrame, createChunkFrame, FILE_RECEIVER, type FrameFileOptions, openFrameFile } from '../ingest/file-reader.ts';
import { ReceiverTable } from '../ingest/receivers.ts';
import { connectToFeeder } from '../ingest/tcp-connector.ts';
import { Counters } from '../runtime/counters.ts';
import type { Address } from '../runtime/options.ts';
import { createPacer } from '../runtime/pacer.ts';
import type { Progress } from '../runtime/progress.ts';
import { connectTo } from './beast-target.ts';
import { serviceTarget } from './replay-target.ts';
import { type AnswerFeed, recordedAnswers } from './verify-answers.ts';
import type { Comparer } from './verify-compare.ts';
import type { Answer } from './verify-theirs.ts';

/** How often what waits is compared while the wall clock is event time. */
const HEARTBEAT_MS = 100;
/** Answers that still come after the last frame: the other program has to read, decode and write. */
const LAST_ANSWERS_MS = 2500;
/** Recorded answers count until this long after the last frame: later ones may know frames that the file lacks. */
const AHEAD_MS = 100;

export interface RunContext {
  readonly comparer: Comparer;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly fileOptions: FrameFileOptions;
  /** A message for the person who waits. */
  readonly log: (text: string) => void;
}

export interface FileSpan {
  readonly frames: number;
  readonly firstUs: number;
  readonly lastUs: number;
}

/** Times and number of a file's frames; null for standard input, which is read once. Errors: those of opening it. */
export async function fileSpan(path: string, options: FrameFileOptions): Promise<FileSpan | null> {
  if (path === '-') return null;
  const file = await openFrameFile(path, options);
  let frames = 0;
  let firstUs = Number.POSITIVE_INFINITY;
  let lastUs = 0;
  for await (const chunk of file.chunks())
    for (let row = 0; row < chunk.rows; row += 1) {
      if (chunk.reasons[row] !== null) continue;
      frames += 1;
      firstUs = Math.min(firstUs, chunk.timesUs[row]!);
      lastUs = Math.max(lastUs, chunk.timesUs[row]!);
    }
  return { frames, firstUs, lastUs };
}

/** A file in event time against answers recorded earlier. Errors: `input.unreadable`, `verify.not_aircraft`. */
export async function verifyRecorded(path: string, recorded: string, context: RunContext): Promise<void> {
  const { comparer, progress, signal, fileOptions } = context;
  const span = await fileSpan(path, fileOptions);
  const answers = recordedAnswers(recorded);
  let next = await answers.next();
  const offerUntil = async (timeMs: number): Promise<void> => {
    for (; next.done !== true && next.value.nowMs - comparer.offsetMs < timeMs; next = await answers.next()) {
      // Answers between two frames are compared in their own time.
      comparer.advanceTo(next.value.nowMs - comparer.offsetMs);
      comparer.offer(next.value);
    }
  };
  const file = await openFrameFile(path, fileOptions);
  const frame = createChunkFrame();
  for await (const chunk of file.chunks()) {
    for (let row = 0; row < chunk.rows; row += 1) {
      if (chunk.reasons[row] !== null) continue;
      const timeMs = chunkFrame(chunk, row, frame).timeUs / 1000;
      if (next.done !== true && next.value.nowMs - comparer.offsetMs < timeMs) await offerUntil(timeMs);
      comparer.advanceTo(timeMs);
      comparer.ours.frame(frame, chunk.firstRow + row);
    }
    if (span !== null) progress.update(comparer.ours.frames, span.frames, comparer.ours.frames);
    if (signal.aborted) break;
  }
  await offerUntil(comparer.ours.clockMs + AHEAD_MS);
  comparer.end();
}

/** How the answers of a running program come in. */
export type OpenAnswers = (onAnswer: (answer: Answer) => void) => Promise<AnswerFeed>;

/** A file sent into a running program at its own pace; a frame's event time is when it is sent. Errors: `connect.failed`, those of the answers. */
export async function verifySent(path: string, to: Address, open: OpenAnswers, context: RunContext): Promise<AnswerFeed> {
  const { comparer, progress, fileOptions } = context;
  const span = await fileSpan(path, fileOptions);
  const file = await openFrameFile(path, fileOptions);
  const target = serviceTarget(await connectTo(to));
  return withAnswers(open, context, async (nowUs, signal) => {
    const pacer = createPacer(1, signal);
    const frame = createChunkFrame();
    try {
      for await (const chunk of file.chunks()) {
        for (let row = 0; row < chunk.rows && !signal.aborted; row += 1) {
          if (chunk.reasons[row] !== null) continue;
          const fileUs = chunkFrame(chunk, row, frame).timeUs;
          const waitMs = pacer.waitMs(fileUs);
          if (waitMs > 0) {
            await target.flush();
            await pacer.sleep(waitMs);
          }
          frame.timeUs = nowUs();
          target.add(frame, FILE_RECEIVER);
          comparer.ours.frame(frame, chunk.firstRow + row);
          if (span !== null) progress.update(fileUs - span.firstUs, span.lastUs - span.firstUs, comparer.ours.frames);
        }
        await target.flush();
        if (signal.aborted) break;
      }
    } finally {
      await target.end();
    }
    await sleep(LAST_ANSWERS_MS, undefined, { signal }).catch(() => {});
  });
}

/** A live source that the other program listens to as well, until the time is over or the command is stopped. Errors: those of the answers. */
export async function verifyLive(feed: Address, seconds: number, open: OpenAnswers, context: RunContext): Promise<AnswerFeed> {
  const { comparer, progress, log } = context;
  return withAnswers(open, context, async (nowUs, signal) => {
    const counters = new Counters();
    const registry = new FeederRegistry({
      target: {
        add: (frame) => comparer.ours.frame(frame, comparer.ours.frames),
        congested: false,
        whenClear: () => Promise.resolve(),
      },
      receivers: new ReceiverTable(),
      counters,
      nowUs,
      onEvent: () => {},
      log: { info: () => {}, warn: (details, text) => log(`${text} ${JSON.stringify(details)}`) },
    });
    const connector = connectToFeeder({ ...feed, registry });
    const startMs = performance.now();
    const elapsedS = (): number => (performance.now() - startMs) / 1000;
    while (!signal.aborted && !(elapsedS() >= seconds)) {
      await sleep(HEARTBEAT_MS, undefined, { signal }).catch(() => {});
      progress.update(elapsedS(), Number.isFinite(seconds) ? seconds : 0, comparer.ours.frames);
    }
    await connector.close();
    await registry.close();
  });
}

/** Runs `work` while answers come and what waits is compared; the first failure of either ends it. */
async function withAnswers(
  open: OpenAnswers,
  { comparer, signal }: RunContext,
  work: (nowUs: () => number, signal: AbortSignal) => Promise<void>,
): Promise<AnswerFeed> {
  const { nowUs } = createEventClock();
  const failed = new AbortController();
  const guarded = (step: () => void): void => {
    try {
      if (!failed.signal.aborted) step();
    } catch (error) {
      failed.abort(error);
    }
  };
  comparer.advanceTo(nowUs() / 1000);
  const feed = await open((answer) => guarded(() => comparer.offer(answer)));
  const heartbeat = setInterval(() => guarded(() => comparer.advanceTo(nowUs() / 1000)), HEARTBEAT_MS);
  try {
    await work(nowUs, AbortSignal.any([signal, failed.signal]));
  } finally {
    clearInterval(heartbeat);
    await feed.close();
  }
  if (failed.signal.aborted) throw failed.signal.reason;
  comparer.advanceTo(nowUs() / 1000);
  comparer.end();
  return feed;
}
