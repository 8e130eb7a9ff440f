#!/usr/bin/env node
// Entry of the query API service: the live view over HTTP. `--help` shows its flags and variables.
import { tuneForFold } from '../../pipeline/runtime/v8-flags.ts';
import { queryApiBody } from './query-api-body.ts';
import { runServiceProcess } from './service-process.ts';

// Before any code of the log and the fold runs.
tuneForFold();
const status = await runServiceProcess(queryApiBody, {
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
