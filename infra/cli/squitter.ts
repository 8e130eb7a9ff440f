#!/usr/bin/env node
// The executable. The check of Node comes first: all other modules are loaded after it, and an old Node cannot read them.
import './node-floor.js';

try {
  await import('./main.ts');
} catch (error) {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!code.endsWith('MODULE_NOT_FOUND')) throw error;
  // No import here: the catalogue of errors may be what is missing.
  process.stderr.write(`squitter: the installation is incomplete: ${message}. Install Squitter again [install.incomplete]\n`);
  process.exit(1);
}
