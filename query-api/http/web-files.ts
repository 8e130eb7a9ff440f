// The files of the pages. Our own are in query-api/web of the package, except the modules of the streams, which are built, and stay in memory. The viewer of the
// documentation is from a package; the build copies it. It has 3.5 MB and few readers, so it is read on request.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFile, packageRoot } from '../../pipeline/runtime/package-root.ts';

export interface WebFile {
  readonly path: string;
  readonly type: string;
  readonly byteLength: number;
  readonly tag: string;
  bytes(): Promise<Buffer>;
}

const JAVASCRIPT = 'text/javascript; charset=utf-8';

const files = [
  { path: '/', file: 'index.html', type: 'text/html; charset=utf-8' },
  { path: '/live.js', file: 'live.js', type: JAVASCRIPT },
  { path: '/live.css', file: 'live.css', type: 'text/css; charset=utf-8' },
  { path: '/docs', file: 'docs.html', type: 'text/html; charset=utf-8' },
  { path: '/docs.js', file: 'docs.js', type: JAVASCRIPT },
  { path: '/stream', file: 'stream.html', type: 'text/html; charset=utf-8' },
  { path: '/stream.js', file: 'stream.js', type: JAVASCRIPT },
  { path: '/stream.css', file: 'stream.css', type: 'text/css; charset=utf-8' },
  { path: '/feeders', file: 'feeders.html', type: 'text/html; charset=utf-8' },
  { path: '/feeders.js', file: 'feeders.js', type: JAVASCRIPT },
  { path: '/feeders.css', file: 'feeders.css', type: 'text/css; charset=utf-8' },
  { path: '/contribute', file: 'contribute.html', type: 'text/html; charset=utf-8' },
] as const;

/** Where the build writes it, and where it comes from. */
const VIEWER_FILES = ['dist/query-api/web/viewer.js', 'node_modules/@scalar/fastify-api-reference/dist/js/standalone.js'];

/** Modules of the binary profile, as the build makes them for browsers. */
const modules = [
  { path: '/stream/decoder.js', file: 'dist/push/codec/decoder.js' },
  { path: '/stream/model.js', file: 'dist/push/codec/model.js' },
] as const;

/** The pages' files of the package this code runs in, compiled or not. */
export function openWebFiles(): WebFile[] {
  const root = packageRoot();
  const viewer = VIEWER_FILES.map((file) => join(root, file)).find((file) => existsSync(file));
  const ours = files.map(({ path, file, type }) => {
    const bytes = packageFile(`query-api/web/${file}`);
    return webFile(path, type, bytes, async () => bytes);
  });
  const built = modules
    .filter(({ file }) => existsSync(join(root, file)))
    .map(({ path, file }) => {
      const bytes = readFileSync(join(root, file));
      return webFile(path, JAVASCRIPT, bytes, async () => bytes);
    });
  const all = [...ours, ...built];
  // Without the viewer `/docs` links to the contract.
  return viewer === undefined ? all : [...all, webFile('/docs/viewer.js', JAVASCRIPT, readFileSync(viewer), sharedRead(viewer))];
}

function webFile(path: string, type: string, content: Buffer, bytes: () => Promise<Buffer>): WebFile {
  const tag = createHash('sha256').update(content).digest('base64url').slice(0, 16);
  return { path, type, byteLength: content.length, tag, bytes };
}

/** Reads a file when it is asked for. Callers share its bytes for as long as one of them holds them: clients that never read cost one copy, not one each. */
export function sharedRead(file: string): () => Promise<Buffer> {
  let held: WeakRef<Buffer> | null = null;
  let reading: Promise<Buffer> | null = null;
  const read = async (): Promise<Buffer> => {
    try {
      const bytes = await readFile(file);
      held = new WeakRef(bytes);
      return bytes;
    } finally {
      reading = null;
    }
  };
  return async () => {
    const bytes = held?.deref();
    if (bytes !== undefined) return bytes;
    reading ??= read();
    return reading;
  };
}
