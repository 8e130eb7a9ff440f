#!/usr/bin/env node
// Entry of the query API service: the live view over HTTP. `--help` shows its flags and variables.
import { runEntry } from './entry.ts';
import { queryApiDefinition } from './query-api-definition.ts';

await runEntry(queryApiDefinition);
