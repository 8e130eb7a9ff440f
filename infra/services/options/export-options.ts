// Options of the daily files, for the command, the embedded service and the exporter of the cluster.

import { join } from 'node:path';
import { numberBetween } from '../../../pipeline/runtime/options.ts';
import { limits } from '../../../schemas/limits/index.ts';

/** Folder of the published files in a data folder. */
export const bulkFolder = (dataDir: string): string => join(dataDir, 'bulk');

const GIB = 2 ** 30;

export const bulkOption = {
  flag: 'bulk-gib',
  value: 'GIB',
  env: 'SQUITTER_BULK_GIB',
  help: 'disk space for the daily files; beyond it the oldest days are removed',
  fallback: limits.bulkBytesDefault / GIB,
  parse: numberBetween(1, limits.bulkGibOptionMax),
} as const;

/** For services that serve the published files. */
export const bulkDirOption = {
  flag: 'bulk-dir',
  value: 'DIR',
  env: 'SQUITTER_BULK_DIR',
  help: 'folder of the published daily files, the one of the export service: served under /bulk/; without it no day is listed there',
  fallback: null as string | null,
} as const;

export const exportOptions = {
  out: {
    flag: 'out',
    value: 'DIR',
    env: 'SQUITTER_BULK_DIR',
    help: 'folder of the published daily files (default: the folder bulk in the data folder)',
    fallback: null as string | null,
  },
  licence: {
    flag: 'licence',
    value: 'SPDX',
    env: 'SQUITTER_LICENCE',
    help: 'licence of the daily files, as an SPDX identifier',
    fallback: 'ODbL-1.0',
    parse: parseLicence,
  },
  attribution: {
    flag: 'attribution',
    value: 'TEXT',
    env: 'SQUITTER_ATTRIBUTION',
    help: 'whom users of the daily files must name as their source',
    fallback: 'Squitter',
  },
  reference: {
    flag: 'reference',
    value: 'DIR',
    env: 'SQUITTER_REFERENCE_DIR',
    help: 'imported reference data (default: the folder reference in the data folder)',
    fallback: null as string | null,
  },
} as const;

function parseLicence(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9.+-]{0,63}$/.test(text)) throw new Error('expected an SPDX identifier, as ODbL-1.0 or CC-BY-4.0');
  return text;
}
