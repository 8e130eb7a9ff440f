// `squitter tail`: prints the decoded records of a topic as JSON lines, or frames as `t,hex` CSV.
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { type TopicId, topicByName, topicIds, topics } from '../../schemas/topics.ts';
import type { Codecs } from '../log/codec.ts';
import { defineCommand, EXIT_DONE, writeTo } from '../runtime/command.ts';
import { flagOption } from '../runtime/options.ts';
import { logOptions, openLog } from './log-options.ts';
import { readMerged, type TopicRecord } from './partition-merge.ts';
import { offsetOf, parseRangeEnd } from './range.ts';
import { framesOf, WHOLE } from './replay/log-frames.ts';

export const tailCommand = defineCommand({
  name: 'tail',
  summary: 'records of a topic, decoded, as JSON lines',
  words: 'TOPIC',
  wordsMin: 1,
  wordsMax: 1,
  details: `Topics: ${topicIds.map((id) => topics[id].shortName).join(', ')}; full names work too.\nPartitions are merged by time; the order in a partition is kept.`,
  examples: [
    'squitter tail positions --from latest --follow',
    'squitter tail frames --csv --from 2026-01-31T12:00:00Z --to 2026-01-31T12:05:00Z > frames.csv',
    'squitter tail aircraft --from earliest | head -3',
    'squitter tail positions --follow --brokers kafka-1:9092 --registry http://registry:8080/apis/ccompat/v7',
  ],
  options: {
    ...logOptions,
    from: flagOption('from', 'OFFSET', 'offset, ISO time, earliest or latest', parseRangeEnd, 'earliest' as const),
    to: flagOption('to', 'OFFSET', 'stop before this offset or time', parseRangeEnd, 'latest' as const),
    follow: { flag: 'follow', help: 'wait for new records until interrupted', fallback: false as boolean },
    csv: { flag: 'csv', help: 'frames only: one `t,hex` line per frame', fallback: false as boolean },
  },
  async run({ options, words, env, stdout, signal }) {
    const topic = topicByName(words[0]!);
    if (topic === undefined) throw new SquitterError('log.unknown_topic', { topic: words[0]! });
    if (options.csv && topic !== 'frames')
      throw new SquitterError('usage.bad_value', { flag: '--csv', value: topics[topic].shortName, detail: 'only frames can be CSV' });
    const { log, codecs } = await openLog(options, env, 'read');
    try {
      const records = readMerged(log, {
        topic,
        from: (partition) => offsetOf(log, topic, partition, options.from),
        to: async (partition) => (options.follow ? 'follow' : offsetOf(log, topic, partition, options.to)),
        signal,
      });
      if (options.csv) await writeTo(stdout, 't,hex\n');
      for await (const record of records) {
        if (signal.aborted) break;
        await writeTo(stdout, options.csv ? framesCsv(codecs, record) : `${recordJson(codecs, topic, record)}\n`);
      }
      return EXIT_DONE;
    } finally {
      await log.close();
    }
  },
});

/** One record as a JSON line: its coordinates, and its value with the field names of its schema. */
function recordJson(codecs: Codecs, topic: TopicId, record: TopicRecord): string {
  const { partition, offset, timestampMs, key } = record;
  const time = new Date(timestampMs).toISOString();
  return JSON.stringify({ topic: topics[topic].name, partition, offset, time, key, value: readableValue(codecs, topic, record) });
}

function readableValue(codecs: Codecs, topic: TopicId, record: TopicRecord): unknown {
  if (record.value === null) return null;
  const schema = topics[topic].value;
  if (schema === 'bytes') return { bytes: record.value.length };
  const value = codecs[schema].decode(record.value);
  if (schema !== 'FrameBatch') return value;
  const { baseTimeUs, receivers, count } = value as FrameBatch;
  return { baseTimeUs, receivers, count, frames: [...shownFrames(value as FrameBatch)] };
}

function* shownFrames(batch: FrameBatch) {
  let i = 0;
  for (const [{ timeUs, bytes, at, byteLength, receiver, signal, counter }] of framesOf(batch, WHOLE, String)) {
    const hex = Buffer.from(bytes.subarray(at, at + byteLength)).toString('hex');
    yield { i, t: secondsText(timeUs), hex, receiver: batch.receivers[receiver] ?? null, signal, counter };
    i += 1;
  }
}

function framesCsv(codecs: Codecs, record: TopicRecord): string {
  if (record.value === null) return '';
  let text = '';
  for (const frame of shownFrames(codecs.FrameBatch.decode(record.value))) text += `${frame.t},${frame.hex}\n`;
  return text;
}

/** µs as seconds with six decimals, exactly. */
function secondsText(timeUs: number): string {
  const seconds = Math.floor(timeUs / 1e6);
  return `${seconds}.${String(timeUs - seconds * 1e6).padStart(6, '0')}`;
}
