// The three modes of `squitter verify`, all over one comparer: a file in event time with recorded responses, a file sent to a running
// program, and a live feed that both read.
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../../schemas/limits/index.ts';
import { FLAG_MLAT, type ReceivedFrame } from '../../../schemas/packed-frame.ts';
import { FeederIds } from '../../feeders/feeder-ids.ts';
import { BEAST_TICKS_PER_US } from '../../ingest/beast-writer.ts';
import { createEventClock } from '../../ingest/event-clock.ts';
import { FeederRegistry } from '../../ingest/feeder-registry.ts';
import { type FrameFileOptions, openFrameFile } from '../../ingest/file-reader.ts';
import { ReceiverTable } from '../../ingest/receivers.ts';
import { TcpConnector } from '../../ingest/tcp-connector.ts';
import { Counters } from '../../runtime/counters.ts';
import { InstallationSecret } from '../../runtime/installation-secret.ts';
import type { Endpoint } from '../../runtime/options.ts';
import { createPacer } from '../../runtime/pacer.ts';
import type { Progress } from '../../runtime/progress.ts';
import { connectTo } from '../replay/beast-target.ts';
import { paced, serviceTarget } from '../replay/target.ts';
import type { Comparer } from './compare.ts';
import { type ResponseFeed, recordedResponses } from './responses.ts';
import type { TheirResponse } from './theirs.ts';

/** Interval of comparisons while the wall clock is event time. */
const HEARTBEAT_MS = 100;
/** Time for responses after the last frame: the other program has to read, decode and write. */
const LAST_RESPONSES_MS = 2500;
/** Silence before the one comparison of a quiet end. */
const QUIET_MS = 2000;
/** After this many microseconds counters begin again at 0: 12 ticks a microsecond fit in their 48 bits. */
export const COUNTED_US = 2 ** 44;
/** Recorded responses count until this long after the last frame: later ones may contain frames that the file lacks. */
const AHEAD_MS = 100;

export interface RunContext {
  readonly comparer: Comparer;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly fileOptions: FrameFileOptions;
  /** A file that is sent is compared once, after its last frame and some silence. */
  readonly quietEnd: boolean;
  /** How late responses may be, ms. */
  readonly slackMs: number;
  /** Prints a message for the user. */
  readonly log: (text: string) => void;
}

export interface FileSpan {
  readonly frames: number;
  readonly firstUs: number;
  readonly lastUs: number;
}

/** Times and number of a file's frames; null for standard input, which can be read only once. Errors: those of opening it. */
async function fileSpan(path: string, options: FrameFileOptions): Promise<FileSpan | null> {
  if (path === '-') return null;
  const file = await openFrameFile(path, options);
  let frames = 0;
  let firstUs = Number.POSITIVE_INFINITY;
  let lastUs = 0;
  for await (const chunk of file.chunks())
    for (const { timeUs } of chunk.frames) {
      frames += 1;
      firstUs = Math.min(firstUs, timeUs);
      lastUs = Math.max(lastUs, timeUs);
    }
  return { frames, firstUs, lastUs };
}

/** A file in event time with recorded responses. Errors: `input.unreadable`, `verify.not_aircraft`. */
export async function verifyRecorded(path: string, recorded: string, context: RunContext): Promise<void> {
  const { comparer, progress, signal, fileOptions } = context;
  const span = await fileSpan(path, fileOptions);
  const responses = recordedResponses(recorded);
  let next = await responses.next();
  const offerUntil = async (timeMs: number): Promise<void> => {
    for (; next.done !== true && next.value.nowMs - comparer.offsetMs < timeMs; next = await responses.next()) {
      // Responses between two frames are compared at their own time.
      comparer.advanceTo(next.value.nowMs - comparer.offsetMs);
      comparer.offer(next.value);
    }
  };
  const file = await openFrameFile(path, fileOptions);
  for await (const chunk of file.chunks()) {
    for (const frame of chunk.frames) {
      const timeMs = frame.timeUs / 1000;
      if (next.done !== true && next.value.nowMs - comparer.offsetMs < timeMs) await offerUntil(timeMs);
      comparer.advanceTo(timeMs);
      comparer.frame(frame, frame.row);
    }
    if (span !== null) progress.update(comparer.ours.frames, span.frames, comparer.ours.frames);
    if (signal.aborted) break;
  }
  await offerUntil(comparer.ours.clockMs + AHEAD_MS);
  comparer.end();
}

/** Opens the source of a running program's responses. */
export type OpenResponses = (onResponse: (response: TheirResponse) => void) => Promise<ResponseFeed>;

/**
 * A file sent to a running program at its own pace; a frame's event time is the time of sending. Errors: `connect.failed`, those of the
 * responses.
 */
export async function verifySent(path: string, to: Endpoint, open: OpenResponses, context: RunContext): Promise<ResponseFeed> {
  const { comparer, progress, fileOptions, quietEnd, slackMs } = context;
  const span = await fileSpan(path, fileOptions);
  const file = await openFrameFile(path, fileOptions);
  let isOpen = !quietEnd;
  const openLater: OpenResponses = (onResponse) => open((response) => isOpen && onResponse(response));
  const target = serviceTarget(await connectTo(to));
  return withResponses(openLater, context, async (nowUs, signal) => {
    const pacer = createPacer(1, signal, limits.verifyLateMsMax);
    try {
      for await (const chunk of file.chunks()) {
        for (const frame of chunk.frames) {
          if (signal.aborted) break;
          const fileUs = frame.timeUs;
          await paced(pacer, fileUs, target);
          stamp(frame, nowUs());
          target.add(frame, frame.receiverId);
          comparer.frame(frame, frame.row);
          if (span !== null) progress.update(fileUs - span.firstUs, span.lastUs - span.firstUs, comparer.ours.frames);
        }
        await target.flush();
        if (signal.aborted) break;
      }
      // Still connected: a program may drop what it has not read when its source closes.
      if (quietEnd) await sleep(QUIET_MS, undefined, { signal }).catch(() => {});
      isOpen = true;
      await sleep(Math.max(LAST_RESPONSES_MS, slackMs), undefined, { signal }).catch(() => {});
    } finally {
      await target.end();
    }
  });
}

/** Dates a frame by its sending. The counter, too: a program that dates frames by it agrees with us, however late it reads them. */
function stamp(frame: ReceivedFrame, timeUs: number): void {
  frame.timeUs = timeUs;
  if ((frame.flags & FLAG_MLAT) === 0) frame.counter = (timeUs % COUNTED_US) * BEAST_TICKS_PER_US;
}

/** A live source that the other program also reads, until the time is over or the command is stopped. Errors: those of the responses. */
export async function verifyLive(feed: Endpoint, seconds: number, open: OpenResponses, context: RunContext): Promise<ResponseFeed> {
  const { comparer, progress, log } = context;
  return withResponses(open, context, async (nowUs, signal) => {
    const counters = new Counters();
    const registry = new FeederRegistry({
      target: {
        add: (frame) => comparer.frame(frame, comparer.ours.frames),
        congested: false,
        whenClear: () => Promise.resolve(),
      },
      receivers: new ReceiverTable(),
      counters,
      nowUs,
      // Ids that are only shown here, and only differ.
      ids: new FeederIds(new InstallationSecret(Buffer.alloc(32))),
      isBanned: () => false,
      onSeen: () => {},
      onStatus: () => {},
      log: { info: () => {}, warn: (details, text) => log(`${text} ${JSON.stringify(details)}`) },
    });
    const connector = new TcpConnector({ host: feed.host, port: feed.port, number: 1, registry });
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

/** Runs `work` while responses arrive and are compared; the first failure of either ends it. */
async function withResponses(
  open: OpenResponses,
  { comparer, signal }: RunContext,
  work: (nowUs: () => number, signal: AbortSignal) => Promise<void>,
): Promise<ResponseFeed> {
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
  const feed = await open((response) => guarded(() => comparer.offer(response)));
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
