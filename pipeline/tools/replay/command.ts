// `squitter replay`: sends recordings into a running service (Beast over TCP) or appends them to a log.

import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { openFrameFile } from '../../ingest/file-reader.ts';
import { defineCommand, EXIT_DONE, EXIT_FAILED } from '../../runtime/command.ts';
import { openDataSecret, readSecretFile } from '../../runtime/installation-secret.ts';
import { type Endpoint, type Environment, endpoint, flagOption, integerBetween, parseEndpoint, parseTime } from '../../runtime/options.ts';
import { createPacer, type Pacer } from '../../runtime/pacer.ts';
import { createProgress, type Progress } from '../../runtime/progress.ts';
import { fileOptions, isoStart } from '../file-options.ts';
import { type LogLocation, logOptions, openLog, secretFileOf, secretFileOption } from '../log-options.ts';

import { connectTo } from './beast-target.ts';
import { framesOf, type Stretch, stretchBatches } from './log-frames.ts';
import { logTarget, paced, type ReplayTarget, serviceTarget } from './target.ts';

function parseSpeed(text: string): number {
  return text === 'max' ? Number.POSITIVE_INFINITY : integerBetween(1, limits.replaySpeedMax)(text);
}

const brokersOption = (flag: string, help: string) => ({
  ...flagOption(flag, 'HOST:PORT', help, parseEndpoint),
  repeatable: true,
  fallback: [] as Endpoint[],
});

export const replayCommand = defineCommand({
  name: 'replay',
  summary: 'send recordings, or a stretch of a log, into a running service or a log',
  words: '[FILE …]',
  wordsMax: 1000,
  details:
    'A service receives the frames as Beast and as live: their event time is the time of arrival. In a log (--data, its service\n' +
    'stopped, or --brokers) they keep the time of the file, which must not be older than the newest record of the log.\n' +
    'Instead of files, --from-log or --from-brokers plays a stretch of a log: a past hour, live in a second service.',
  examples: [
    'squitter replay recording.beast --to 127.0.0.1:30004',
    'squitter replay monday.csv.xz --speed max --data ./history',
    'squitter replay frames.csv --speed 10',
    'squitter replay --from-log ./data --since 2026-01-31T12:00:00Z --until 2026-01-31T13:00:00Z --to 127.0.0.1:30104 --speed 10',
  ],
  options: {
    ...fileOptions,
    to: flagOption('to', 'HOST:PORT', 'a running service', parseEndpoint, endpoint('127.0.0.1', 30_004)),
    // No environment variables: a shell that is set up for another tool must not make a replay write into a log.
    data: flagOption('data', 'DIR', 'append to the log in this folder instead', String),
    brokers: brokersOption('brokers', 'append to the log on these Kafka brokers instead'),
    secretFile: secretFileOption,
    fromLog: flagOption('from-log', 'DIR', 'play the log in this data folder; its service may run', String),
    fromBrokers: brokersOption('from-brokers', 'play the log on these Kafka brokers'),
    since: flagOption('since', 'TIME', 'begin of the stretch (2026-01-31T12:00:00Z); the start of the log', parseTime),
    until: flagOption('until', 'TIME', 'end of the stretch; the end of the log', parseTime),
    registry: logOptions.registry,
    speed: flagOption('speed', 'N', 'times real time, or max', parseSpeed, 1),
  },
  async run({ options, words, env, stdin, stderr, signal }) {
    const fromLog = options.fromLog !== null || options.fromBrokers.length > 0;
    if (fromLog && words.length > 0) throw new SquitterError('usage.unknown_word', { word: words[0]!, command: 'replay --from-log' });
    if (!fromLog && words.length === 0) throw new SquitterError('usage.missing_argument', { argument: 'FILE' });
    const progress = createProgress(stderr, 'frames', () => Date.now());
    const intoLog = options.data !== null || options.brokers.length > 0;
    const reportAhead = (timeUs: number): void => {
      const time = new Date(timeUs / 1000).toISOString();
      stderr.write(
        `replay: frames of ${time} are in the future: a service on this log continues from there, at half speed until its clock has caught up\n`,
      );
    };
    const target = intoLog ? await intoLogTarget(options, env, reportAhead) : serviceTarget(await connectTo(options.to));
    const pacer = createPacer(options.speed, signal);
    let frames = 0;
    const stretch = { sinceMs: options.since, untilMs: options.until };
    try {
      if (fromLog) {
        const source = { data: options.fromLog, brokers: options.fromBrokers, registry: options.registry };
        frames = await replayStretch({ source: await openLog(source, env, 'read'), stretch, target, pacer, progress, signal });
      }
      for (const path of words) {
        const file = await openFrameFile(path, { stdin, startUs: isoStart(options.start), signal });
        pacer.restart();
        for await (const chunk of file.chunks()) {
          for (const frame of chunk.frames) {
            await paced(pacer, frame.timeUs, target);
            target.add(frame, frame.receiverId);
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

/** Errors: those of `openLog` and of the secret. */
async function intoLogTarget(
  location: LogLocation & { readonly secretFile: string | null },
  env: Environment,
  reportAhead: (timeUs: number) => void,
): Promise<ReplayTarget> {
  const { data, secretFile } = location;
  const file = data === null ? secretFileOf(secretFile) : null;
  const opened = await openLog(location, env, 'write');
  try {
    const secret = file === null ? openDataSecret(data!) : readSecretFile(file);
    return await logTarget({ ...opened, secret }, reportAhead);
  } catch (error) {
    await opened.log.close();
    throw error;
  }
}

interface StretchReplay {
  readonly source: Awaited<ReturnType<typeof openLog>>;
  readonly stretch: Stretch;
  readonly target: ReplayTarget;
  readonly pacer: Pacer;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Sends a stretch of a log, which is closed afterwards. Returns the number of frames. */
async function replayStretch({ source, stretch, target, pacer, progress, signal }: StretchReplay): Promise<number> {
  const { sinceMs, untilMs } = stretch;
  const totalMs = sinceMs === null || untilMs === null ? 0 : untilMs - sinceMs;
  let frames = 0;
  try {
    for await (const batch of stretchBatches(source, stretch, signal)) {
      for (const [frame, receiver] of framesOf(batch, stretch)) {
        await paced(pacer, frame.timeUs, target);
        target.add(frame, receiver);
        frames += 1;
      }
      await target.flush();
      progress.update(batch.baseTimeUs / 1000 - (sinceMs ?? 0), totalMs, frames);
    }
  } finally {
    await source.log.close();
  }
  return frames;
}
