// Entry of `npm run cluster`.
import { runCommand, runProgram } from '../../infra/cli/run-command.ts';

await runProgram(
  async () => runCommand((await import('./cluster-command.ts')).clusterCommand, process.argv.slice(2), 'npm run'),
  '`npm run cluster -- --help` shows the flags',
);
