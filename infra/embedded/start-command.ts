// `squitter start`: the whole service in one process tree.
import type { Writable } from 'node:stream';
import { defineCommand, EXIT_DONE } from '../../pipeline/runtime/command.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { unknownVariableProblems, unknownVariables } from '../services/options/shared-options.ts';
import { startOptions } from './start-options.ts';

export const startCommand = defineCommand({
  name: 'start',
  summary: 'the whole service: feeders in, live aircraft out',
  details:
    'All data are in the data folder. Stop with SIGTERM or Ctrl-C; the next start continues where it stopped.\n' +
    'If no feed is configured (--feed, --listen, --replay), traffic is simulated, and the output says so.',
  examples: [
    'squitter start',
    'squitter start --feed 192.0.2.10:30005 --receiver 51.99,4.37',
    'squitter start --listen 0.0.0.0:30004 --http 0.0.0.0:8080',
    'squitter start --feed 192.0.2.10:30005 --sbs 0.0.0.0:30003 --beast-out 0.0.0.0:30005',
    'squitter start --simulate 20000 --data /tmp/squitter-load',
  ],
  options: startOptions,
  async run({ options, env, stdout, stderr, signal }) {
    const unknown = unknownVariables(Object.keys(env), [startOptions]);
    const [problem] = options.strictEnvironment ? unknownVariableProblems(unknown) : [];
    if (problem !== undefined) throw problem;
    // Loaded now: help and wrong usage do not wait for all of it.
    const { runService } = await import('./service.ts');
    await runService(options, { stdout, stderr, signal, unknownVariables: unknown });
    endLeftovers(stderr);
    return EXIT_DONE;
  },
});

/**
 * Everything is closed. A thread that does not end all the same must not keep the process: it is killed, because Node's own exit aborts in a thread
 * that has native sockets. The timer itself keeps nothing.
 */
function endLeftovers(stderr: Writable): void {
  setTimeout(() => {
    const { message, code } = new SquitterError('service.stop_timeout', { seconds: limits.leftoversMsMax / 1000 });
    stderr.write(`squitter: ${message} [${code}]\n`, () => process.kill(process.pid, 'SIGKILL'));
  }, limits.leftoversMsMax).unref();
}
