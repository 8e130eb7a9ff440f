#!/usr/bin/env node
// Entry of the project service: positions and ended flights to the history store. `--help` shows its flags and variables.
import { runEntry } from './entry.ts';
import { projectDefinition } from './project-definition.ts';

await runEntry(projectDefinition);
