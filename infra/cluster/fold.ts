#!/usr/bin/env node
// Entry of the fold service: raw frames to positions and aircraft states. `--help` shows its flags and variables.
import { runEntry } from './entry.ts';
import { foldDefinition } from './fold-definition.ts';

await runEntry(foldDefinition);
