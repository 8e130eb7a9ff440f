#!/usr/bin/env node
// Entry of the flights service: aircraft states and flight plans to flights. `--help` shows its flags and variables.
import { runEntry } from './entry.ts';
import { flightsDefinition } from './flights-definition.ts';

await runEntry(flightsDefinition);
