#!/usr/bin/env node
// Entry of the ingest service: feeders in, raw frames to Kafka. `--help` shows its flags and variables.
import { runEntry } from './entry.ts';
import { ingestDefinition } from './ingest-definition.ts';

await runEntry(ingestDefinition);
