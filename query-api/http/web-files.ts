// The files of the pages, read once at the start. Ours stand in query-api/web of the package, beside the sources and not in dist; the viewer
// of the documentation is a package's, which the build copies.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../pipeline/runtime/package-root.ts';

export interface WebFile {
  readonly path: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly tag: string;
}

const JAVASCRIPT = 'text/javascript; charset=utf-8';

const files = [
  { path: '/', file: 'index.html', type: 'text/html; charset=utf-8' },
  { path: '/live.js', file: 'live.js', type: JAVASCRIPT },
  { path: '/live.css', file: 'live.css', type: 'text/css; charset=utf-8' },
  { path: '/docs', file: 'docs.html', type: 'text/html; charset=utf-8' },
  { path: '/docs.js', file: 'docs.js', type: JAVASCRIPT },
  { path: '/contribute', file: 'contribute.html', type: 'text/html; charset=utf-8' },
] as const;

/** Where the build puts it, and where it comes from. */
const VIEWER_FILES = ['dist/query-api/web/viewer.js', 'node_modules/@scalar/fastify-api-reference/dist/js/standalone.js'];

/** Reads the pages' files from the package this code runs in, compiled or not. */
export function readWebFiles(): WebFile[] {
  const root = packageRoot();
  const viewer = VIEWER_FILES.map((file) => join(root, file)).find((file) => existsSync(file));
  return [
    ...files.map(({ path, file, type }) => webFile(path, type, readFileSync(join(root, 'query-api', 'web', file)))),
    // Without it `/docs` says where the contract is.
    ...(viewer === undefined ? [] : [webFile('/docs/viewer.js', JAVASCRIPT, readFileSync(viewer))]),
  ];
}

function webFile(path: string, type: string, bytes: Buffer): WebFile {
  return { path, type, bytes, tag: createHash('sha256').update(bytes).digest('base64url').slice(0, 16) };
}
