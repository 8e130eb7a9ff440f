#!/usr/bin/env node
// Entry of the export service: the daily files of closed days. `--help` shows its flags and variables.
import { runEntry } from './entry.ts';
import { exportDefinition } from './export-definition.ts';

await runEntry(exportDefinition);
