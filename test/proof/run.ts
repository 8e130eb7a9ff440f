// Entry of `npm run verify:simulated`.
import { runCommand, runProgram } from '../../infra/cli/run-command.ts';

await runProgram(
  async () => runCommand((await import('./simulated/command.ts')).verifySimulatedCommand, process.argv.slice(2), 'npm run'),
  '`npm run verify:simulated -- --help` shows the flags',
);
