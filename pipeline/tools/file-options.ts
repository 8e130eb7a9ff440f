// Options of every command that reads a frame file, and the loop of those that print what it has.
import { type FrameChunk, openFrameFile } from '../ingest/file-reader.ts';
import { type CommandContext, writeTo } from '../runtime/command.ts';
import { flagOption, parseTime, receiverOption } from '../runtime/options.ts';
import { createProgress } from '../runtime/progress.ts';

export const fileOptions = {
  receiver: receiverOption('location of the receiver; surface positions need it'),
  start: flagOption(
    'start',
    'TIME',
    'ISO time at which the counters of a Beast or AVR file start; ignored when the file has its own times',
    parseTime,
  ),
} as const;

/** The start option as µs since the Unix epoch; 0 when it is not given. */
export function isoStart(startMs: number | null): number {
  return (startMs ?? 0) * 1000;
}

/** Writes the text of each chunk of a file, and shows the progress. Errors: those of `openFrameFile`. */
export async function printChunks(
  path: string,
  startMs: number | null,
  { stdin, stdout, stderr, signal }: Pick<CommandContext, 'stdin' | 'stdout' | 'stderr' | 'signal'>,
  textOf: (chunk: FrameChunk) => string,
): Promise<void> {
  const file = await openFrameFile(path, { stdin, startUs: isoStart(startMs), signal });
  const progress = createProgress(stderr, 'frames', () => Date.now());
  for await (const chunk of file.chunks()) {
    await writeTo(stdout, textOf(chunk));
    progress.update(chunk.bytesRead, file.bytesTotal, chunk.rowsRead);
  }
  progress.end();
}
