// The end of a child process, behind its last output: that may arrive after its exit.
import type { ChildProcess } from 'node:child_process';
import { settledWithin } from '../../pipeline/runtime/waiting.ts';

/** Exit status, or the name of the signal that ended a process. */
export type Ending = number | string;

/** A child of its own may hold its output open. */
const OUTPUT_MS_MAX = 1000;

/** Calls `exited` at once, and resolves behind the last output. */
export async function endOf(child: ChildProcess, exited: (ending: Ending) => void): Promise<Ending> {
  const closed = new Promise((resolve) => child.once('close', resolve));
  const ending = await new Promise<Ending>((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal!)));
  exited(ending);
  await settledWithin(closed, OUTPUT_MS_MAX);
  return ending;
}
