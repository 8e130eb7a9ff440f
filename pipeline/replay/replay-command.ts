// `squitter replay`: sends recordings into a running service (Beast over TCP) or appends them to a log.

import { SquitterError } from '../../schemas/errors.ts';
import type { ReceivedFrame } from '../../schemas/packed-frame.ts';
import { Batcher } from '../ingest/batcher.ts';
import { BeastWriter } from '../ingest/beast-writer.ts';
import { chunkFrame, createChunkFrame, openFrameFile } from '../ingest/file-reader.ts';
import { frameRecords } from '../ingest/frame-records.ts';
import { ReceiverTable } from '../ingest/receivers.ts';
import { openData } from '../log/open-data.ts';
import { defineCommand, EXIT_DONE, EXIT_FAILED } from '../runtime/command.ts';
import { Counters } from '../runtime/counters.ts';
import { type Address, address, integerBetween, parseAddress } from '../runtime/options.ts';
import { createPacer, type Pacer } from '../runtime/pacer.ts';
import { createProgress } from '../runtime/progress.ts';
import { type BeastTarget, connectTo } from './beast-target.ts';
import { fileOptions, isoStart } from './file-options.ts';

const SPEED_MAX = 10_000;

/** Where a replay puts its frames. */
interface ReplayTarget {
  add(frame: ReceivedFrame): void;
  /** Resolves when there is room for more. */
  flush(): Promise<void>;
  end(): Promise<void>;
}

function parseSpeed(text: string): number {
  return text === 'max' ? Number.POSITIVE_INFINITY : integerBetween(1, SPEED_MAX)(text);
}

export const replayCommand = defineCommand({
  name: 'replay',
  summary: 'send recordings into a running service or a log',
  words: 'FILE [FILE …]',
  wordsMin: 1,
  wordsMax: 1000,
  details:
    'Into a service the frames go as Beast and are live there: their event time is when they arrive. Into a log (--data, its service\n' +
    'stopped) they keep the time of the file, which must not be older than what the log already holds.',
  examples: [
    'squitter replay recording.beast --to 127.0.0.1:30004',
    'squitter replay monday.csv.xz --speed max --data ./history',
    'squitter replay frames.csv --speed 10',
  ],
  options: {
    ...fileOptions,
    to: {
      flag: 'to',
      value: 'HOST:PORT',
      help: 'a running service',
      fallback: address('127.0.0.1', 30_004) as Address,
      parse: parseAddress,
    },
    data: { flag: 'data', value: 'DIR', help: 'append to the log in this folder instead', fallback: null as string | null },
    speed: { flag: 'speed', value: 'N', help: 'times real time, or max', fallback: 1, parse: parseSpeed },
  },
  async run({ options, words, stdin, stderr, signal }) {
    const progress = createProgress(stderr, 'frames', () => Date.now());
    const target = options.data === null ? serviceTarget(await connectTo(options.to)) : await logTarget(options.data);
    const pacer = createPacer(options.speed, signal);
    const frame = createChunkFrame();
    let frames = 0;
    try {
      for (const path of words) {
        const file = await openFrameFile(path, { stdin, startUs: isoStart(options.start), signal });
        pacer.restart();
        for await (const chunk of file.chunks()) {
          for (let row = 0; row < chunk.rows; row += 1) {
            if (chunk.reasons[row] !== null) continue;
            chunkFrame(chunk, row, frame);
            await paced(pacer, frame.timeUs, target);
            target.add(frame);
            frames += 1;
          }
          await target.flush();
          progress.update(chunk.bytesRead, file.bytesTotal, frames);
        }
      }
    } finally {
      await target.end();
    }
    progress.end();
    stderr.write(`replay: ${frames} frames\n`);
    return signal.aborted ? EXIT_FAILED : EXIT_DONE;
  },
});

/** Waits for a frame's time; what was added before it goes out first. */
async function paced(pacer: Pacer, timeUs: number, target: ReplayTarget): Promise<void> {
  const waitMs = pacer.waitMs(timeUs);
  if (waitMs <= 0) return;
  await target.flush();
  await pacer.sleep(waitMs);
}

function serviceTarget(target: BeastTarget): ReplayTarget {
  const writer = new BeastWriter();
  const send = (): Promise<void> => target.send(writer.take());
  let full: Promise<void> | null = null;
  return {
    add(frame) {
      if (writer.add(frame)) full = send();
    },
    async flush() {
      await full;
      full = null;
      await send();
    },
    end: () => target.end(),
  };
}

async function logTarget(dataDir: string): Promise<ReplayTarget> {
  const { log, codecs } = await openData(dataDir, 'write');
  const receivers = new ReceiverTable();
  const receiver = receivers.take('replay');
  const newestMs = await newestFrameMs(log);
  let failure: unknown = null;
  const batcher = new Batcher({
    partitions: log.partitions('frames'),
    receivers,
    counters: new Counters(),
    append: (partition, batches) => log.append('frames', partition, frameRecords(codecs, batches)),
    onFailure: (error) => {
      failure ??= error;
    },
    nowUs: () => Date.now() * 1000,
  });
  return {
    add(frame) {
      if (frame.timeUs < newestMs * 1000) throw new SquitterError('input.older_than_log', { newest: new Date(newestMs).toISOString() });
      frame.receiver = receiver;
      batcher.add(frame);
    },
    async flush() {
      batcher.tick(Date.now() * 1000);
      await batcher.whenClear();
      if (failure !== null) throw failure;
    },
    async end() {
      await batcher.drain();
      await log.close();
      if (failure !== null) throw failure;
    },
  };
}

async function newestFrameMs(log: Awaited<ReturnType<typeof openData>>['log']): Promise<number> {
  let newestMs = 0;
  for (let partition = 0; partition < log.partitions('frames'); partition += 1) {
    const { earliest, next } = await log.bounds('frames', partition);
    if (next === earliest) continue;
    for await (const batch of log.read({ topic: 'frames', partition, from: next - 1, to: next }))
      for (const record of batch.records) newestMs = Math.max(newestMs, record.timestampMs);
  }
  return newestMs;
}
