// Options of the daily files, for the command, the embedded service and the exporter of the cluster.

import { join } from 'node:path';
import { numberBetween, textOption } from '../../../pipeline/runtime/options.ts';
import { limits } from '../../../schemas/limits/index.ts';

/** Folder of the published files in a data folder. */
export const bulkFolder = (dataDir: string): string => join(dataDir, 'bulk');

const GIB = 2 ** 30;

export const bulkOption = {
  ...textOption('bulk-gib', 'GIB', 'disk space for the daily files; beyond it the oldest days are removed'),
  fallback: limits.bulkBytesDefault / GIB,
  parse: numberBetween(1, limits.bulkGibOptionMax),
} as const;

/** For services that serve the published files. */
export const bulkDirOption = textOption(
  'bulk-dir',
  'DIR',
  'folder of the published daily files, the one of the export service: served under /bulk/; without it no day is listed there',
);

export const exportOptions = {
  out: {
    ...textOption('out', 'DIR', 'folder of the published daily files (default: the folder bulk in the data folder)'),
    env: 'SQUITTER_BULK_DIR',
  },
  licence: {
    ...textOption('licence', 'SPDX', 'licence of the daily files, as an SPDX identifier'),
    fallback: 'ODbL-1.0',
    parse: parseLicence,
  },
  attribution: {
    ...textOption('attribution', 'TEXT', 'whom users of the daily files must name as their source'),
    fallback: 'Squitter',
  },
  reference: {
    ...textOption('reference', 'DIR', 'imported reference data (default: the folder reference in the data folder)'),
    env: 'SQUITTER_REFERENCE_DIR',
  },
} as const;

function parseLicence(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9.+-]{0,63}$/.test(text)) throw new Error('expected an SPDX identifier, as ODbL-1.0 or CC-BY-4.0');
  return text;
}
