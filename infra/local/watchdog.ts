// What is to happen when this process ends, in whatever way: an ordinary end, a crash, SIGKILL.
import { spawn } from 'node:child_process';

/**
 * Runs a shell script with one argument, `$1`, at our end; the returned function calls it off.
 * A shell waits for the end of a pipe that only we hold open, in a process group of its own, so that no signal meant for us ends it.
 */
export function atOurEnd(script: string, argument: string): () => void {
  const watchdog = spawn('/bin/sh', ['-c', `read -r _; ${script}`, 'watchdog', argument], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.unref();
  watchdog.stdin.on('error', () => {});
  return () => void watchdog.kill('SIGKILL');
}
