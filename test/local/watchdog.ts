// Runs a script when this process ends in any way: a normal end, a crash, SIGKILL.
import { spawn } from 'node:child_process';

/**
 * Runs a shell script with one argument, `$1`, when this process ends. The returned function cancels that.
 * A shell in its own process group, which signals for this process do not reach, waits for the end of a pipe that only this process holds open.
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
