// Shared by all entry files of this folder: runs a service and ends the process with its exit status.
import { tuneForFold } from '../../pipeline/runtime/v8-flags.ts';
import type { ServiceName } from './configuration.ts';
import { runServiceProcess, type ServiceDefinition } from './service-process.ts';

/** Never returns. */
export async function runEntry<Name extends ServiceName>(definition: ServiceDefinition<Name>): Promise<never> {
  // Before any code of the log and the fold runs.
  tuneForFold();
  const status = await runServiceProcess(definition, {
    argv: process.argv.slice(2),
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    onStopSignal(handler) {
      process.on('SIGINT', handler);
      process.on('SIGTERM', handler);
    },
  });
  process.exit(status);
}
