#!/usr/bin/env node
// Entry of the push service: the live view to subscribers. `--help` shows its flags and variables.
import { runEntry } from './entry.ts';
import { pushDefinition } from './push-definition.ts';

await runEntry(pushDefinition);
