// `squitter decode`: one JSON line per frame of a file, in order, with the results of the address filter and CPR.
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';
import { messageFields } from '../decode/json.ts';
import { createFrameOutcome, type FrameOutcome } from '../fold/frame-outcome.ts';
import { PartitionFold } from '../fold/partition-fold.ts';
import { TICK_MS } from '../fold/worker.ts';
import type { FileRow } from '../ingest/file-reader.ts';
import { defineCommand, EXIT_DONE } from '../runtime/command.ts';
import { fileOptions, printChunks } from './file-options.ts';

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
  async run({ options, words, ...io }) {
    const fold = new PartitionFold({ tickMs: TICK_MS, receiver: options.receiver });
    const outcome = createFrameOutcome();
    await printChunks(words[0]!, options.start, io, (chunk) => {
      let text = '';
      for (const row of chunk.rows) text += `${JSON.stringify(rowObject(fold, row, outcome))}\n`;
      return text;
    });
    return EXIT_DONE;
  },
});

function rowObject(fold: PartitionFold, frame: FileRow, outcome: FrameOutcome): Record<string, unknown> {
  const { row: i, reason, receiverId, bytes, at, timeUs } = frame;
  if (reason !== null) return { i, t: timeUs / 1e6, accepted: false, reason };
  const receiver = fold.receiverNumber(receiverId);
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
