#!/usr/bin/env node
// Entry of the ingest service: feeders in, raw frames to Kafka. `--help` shows its flags and variables.
import { tuneForFold } from '../../pipeline/runtime/v8-flags.ts';
import { ingestBody } from './ingest-body.ts';
import { runServiceProcess } from './service-process.ts';

// Before any code of the log and the fold runs.
tuneForFold();
const status = await runServiceProcess(ingestBody, {
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
