// `squitter decode`: one JSON line per frame of a file, in order, with the results of the address filter and CPR.
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';
import type { ReceivedFrame } from '../../schemas/packed-frame.ts';
import { messageFields } from '../decode/json.ts';
import { createFrameOutcome, type FrameOutcome } from '../fold/frame-outcome.ts';
import { PartitionFold } from '../fold/partition-fold.ts';
import { TICK_MS } from '../fold/worker.ts';
import { chunkFrame, createChunkFrame, type FrameChunk, openFrameFile } from '../ingest/file-reader.ts';
import { defineCommand, EXIT_DONE } from '../runtime/command.ts';
import { createProgress } from '../runtime/progress.ts';
import { fileOptions, isoStart } from './file-options.ts';

export const decodeCommand = defineCommand({
  name: 'decode',
  summary: 'one JSON line per frame: its content, and the reason if it is not accepted',
  words: 'FILE',
  wordsMin: 1,
  wordsMax: 1,
  details:
    'Names and units are those of /v2. `accepted` says whether the frame would change an aircraft. Other frames are decoded too,\n' +
    'as far as possible, with a `reason`. lat, lon, nic and rc are present when the position resolves.\n' +
    'A row of the file without a frame gives a line with `accepted: false` and its reason.',
  examples: [
    'squitter decode recording.beast.gz',
    'squitter decode frames.csv | jq -c "select(.tc == 19)"',
    'cat frames.avr | squitter decode -',
  ],
  options: fileOptions,
  async run({ options, words, stdin, stdout, stderr, signal }) {
    const file = await openFrameFile(words[0]!, { stdin, startUs: isoStart(options.start), signal });
    const progress = createProgress(stderr, 'frames', () => Date.now());
    const fold = new PartitionFold({ tickMs: TICK_MS, receiver: options.receiver });
    const outcome = createFrameOutcome();
    const frame = createChunkFrame();
    for await (const chunk of file.chunks()) {
      let text = '';
      for (let row = 0; row < chunk.rows; row += 1) {
        const receiver = fold.receiverNumber(file.receivers[chunk.receivers[row]!]!);
        text += `${JSON.stringify(rowObject(fold, receiver, chunk, row, frame, outcome))}\n`;
      }
      if (!stdout.write(text)) await drained(stdout);
      progress.update(chunk.bytesRead, file.bytesTotal, chunk.firstRow + chunk.rows);
    }
    progress.end();
    return EXIT_DONE;
  },
});

function rowObject(
  fold: PartitionFold,
  receiver: number,
  chunk: FrameChunk,
  row: number,
  frame: ReceivedFrame,
  outcome: FrameOutcome,
): Record<string, unknown> {
  const i = chunk.firstRow + row;
  const notFrame = chunk.reasons[row] ?? null;
  if (notFrame !== null) return { i, t: chunk.timesUs[row]! / 1e6, accepted: false, reason: notFrame };
  const { bytes, at, timeUs } = chunkFrame(chunk, row, frame);
  fold.advance(fold.datedUs(timeUs, receiver), null);
  fold.applyFrame(frame, receiver, outcome);
  const { message } = outcome;
  const hex = `${message.addressNonIcao ? '~' : ''}${message.address.toString(16).padStart(6, '0')}`;
  return {
    i,
    t: timeUs / 1e6,
    df: message.df,
    hex,
    accepted: outcome.accepted,
    ...(outcome.accepted ? {} : { reason: rejectReasons[outcome.reject] }),
    ...(outcome.repaired ? { fixed_bits: 1, ...messageFields(message, outcome.repairedFrame, 0) } : messageFields(message, bytes, at)),
    ...positionFields(outcome),
  };
}

function positionFields(outcome: FrameOutcome): Record<string, unknown> {
  if (!outcome.positionResolved) return {};
  return { lat: outcome.latitudeMicrodeg / 1e6, lon: outcome.longitudeMicrodeg / 1e6, nic: outcome.nic, rc: outcome.rcM };
}

async function drained(stdout: Writable): Promise<void> {
  await once(stdout, 'drain');
}
