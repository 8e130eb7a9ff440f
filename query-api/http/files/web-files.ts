// The files of the pages: the tree `dist/web`, as its build wrote it (query-api/web/build.js). They are read when they are first requested; small ones then stay in memory.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { packageFile, packageRoot } from '../../../pipeline/runtime/package-root.ts';
import { limits } from '../../../schemas/limits/index.ts';

const TREE = 'dist/web';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** The pages' files of the package this code runs in, compiled or not. They have 15 MB: reading all takes 50 ms of a start. */
export function openWebFiles() {
  packageFile(`${TREE}/index.html`);
  const tree = join(packageRoot(), TREE);
  return readdirSync(tree, { recursive: true, encoding: 'utf8' })
    .filter((file) => TYPES[extname(file)] !== undefined)
    .map((file) => ({ path: `/${file.replace(/(^|\/)index\.html$|\.html$/, '')}`, open: () => webFile(join(tree, file)) }));
}

function webFile(file: string) {
  const content = readFileSync(file);
  const tag = createHash('sha256').update(content).digest('base64url').slice(0, 16);
  const bytes = content.length > limits.pageFileBytesKeptMax ? sharedRead(file) : async () => content;
  return { type: TYPES[extname(file)]!, byteLength: content.length, tag, bytes };
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
