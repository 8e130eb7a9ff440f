// `squitter replay`: sends recordings into a running service (Beast over TCP) or appends them to a log.

import { chunkFrame, createChunkFrame, openFrameFile } from '../ingest/file-reader.ts';
import { defineCommand, EXIT_DONE, EXIT_FAILED } from '../runtime/command.ts';
import { type Endpoint, endpoint, integerBetween, parseEndpoint } from '../runtime/options.ts';
import { createPacer, type Pacer } from '../runtime/pacer.ts';
import { createProgress } from '../runtime/progress.ts';
import { connectTo } from './beast-target.ts';
import { fileOptions, isoStart } from './file-options.ts';
import { logOptions, openLog } from './log-options.ts';
import { logTarget, type ReplayTarget, serviceTarget } from './replay-target.ts';

const SPEED_MAX = 10_000;

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
    'A service receives the frames as Beast and as live: their event time is the time of arrival. In a log (--data, its service\n' +
    'stopped, or --brokers) they keep the time of the file, which must not be older than the newest record of the log.',
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
      fallback: endpoint('127.0.0.1', 30_004) as Endpoint,
      parse: parseEndpoint,
    },
    // No environment variables: a shell that is set up for another tool must not make a replay write into a log.
    data: { flag: 'data', value: 'DIR', help: 'append to the log in this folder instead', fallback: null as string | null },
    brokers: {
      flag: 'brokers',
      value: 'HOST:PORT',
      repeatable: true,
      help: 'append to the log on these Kafka brokers instead',
      fallback: [] as Endpoint[],
      parse: parseEndpoint,
    },
    registry: logOptions.registry,
    speed: { flag: 'speed', value: 'N', help: 'times real time, or max', fallback: 1, parse: parseSpeed },
  },
  async run({ options, words, env, stdin, stderr, signal }) {
    const progress = createProgress(stderr, 'frames', () => Date.now());
    const intoLog = options.data !== null || options.brokers.length > 0;
    const sayAhead = (timeUs: number): void => {
      const time = new Date(timeUs / 1000).toISOString();
      stderr.write(
        `replay: frames of ${time} are in the future: a service on this log continues from there, at half speed until its clock has caught up\n`,
      );
    };
    const target = intoLog ? await logTarget(await openLog(options, env, 'write'), sayAhead) : serviceTarget(await connectTo(options.to));
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
            target.add(frame, file.receivers[chunk.receivers[row]!]!);
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

/** Waits until a frame is due; earlier frames are sent first. */
async function paced(pacer: Pacer, timeUs: number, target: ReplayTarget): Promise<void> {
  const waitMs = pacer.waitMs(timeUs);
  if (waitMs <= 0) return;
  await target.flush();
  await pacer.sleep(waitMs);
}
