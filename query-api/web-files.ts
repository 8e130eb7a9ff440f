// The files of the page, read once at the start. They stand in query-api/web of the package, beside the sources and not in dist.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

export interface WebFile {
  readonly path: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly tag: string;
}

const files = [
  { path: '/', file: 'index.html', type: 'text/html; charset=utf-8' },
  { path: '/live.js', file: 'live.js', type: 'text/javascript; charset=utf-8' },
  { path: '/live.css', file: 'live.css', type: 'text/css; charset=utf-8' },
  { path: '/docs', file: 'docs.html', type: 'text/html; charset=utf-8' },
  { path: '/docs.js', file: 'docs.js', type: 'text/javascript; charset=utf-8' },
  { path: '/docs.css', file: 'docs.css', type: 'text/css; charset=utf-8' },
  { path: '/contribute', file: 'contribute.html', type: 'text/html; charset=utf-8' },
] as const;

/** Reads the page's files from the package this code runs in, compiled or not. */
export function readWebFiles(): WebFile[] {
  const folder = join(packageRoot(), 'query-api', 'web');
  return files.map(({ path, file, type }) => {
    const bytes = readFileSync(join(folder, file));
    return { path, type, bytes, tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"` };
  });
}
