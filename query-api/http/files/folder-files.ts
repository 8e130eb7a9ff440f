// Files of a folder that an operator installed. They are read when they are asked for; readers share the bytes, so that they cost at most the size of the folder.
import { realpathSync, statSync } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { basename, extname, join, sep } from 'node:path';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { Content } from '../responses/content.ts';
import { sharedRead } from './web-files.ts';

const INDEX = 'index.html';
const GZIP_MAGIC = 0x1f8b;
/** Hidden files, `..`, and bytes that end a path. */
const NEVER_SERVED = /(^|[/\\])\.|\0/;

const texts: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.geojson': 'application/geo+json',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};
const otherTypes: Readonly<Record<string, string>> = {
  '.gif': 'image/gif',
  '.ico': 'image/x-icon',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

export type FolderFile = Omit<Content, 'kind'>;

export class FolderFiles {
  private readonly root: string;
  /** By path, the least recently found first. */
  private readonly known = new Map<string, FolderFile>();

  /** Error: `map.folder_unusable`. */
  constructor(folder: string) {
    try {
      this.root = realpathSync(folder);
      if (!statSync(join(this.root, INDEX)).isFile()) throw new Error(`${INDEX} is not a file`);
    } catch (error) {
      throw new SquitterError('map.folder_unusable', { path: folder, detail: (error as Error).message }, error);
    }
  }

  /** A file by its path below the folder, '' for `index.html`; null if there is none, if a link leads out of the folder, or if it is too large. */
  async find(name: string): Promise<FolderFile | null> {
    if (NEVER_SERVED.test(name)) return null;
    const path = await realpath(join(this.root, name === '' ? INDEX : name)).catch(() => null);
    if (path === null || !path.startsWith(`${this.root}${sep}`)) return null;
    const stats = await stat(path).catch(() => null);
    if (stats?.isFile() !== true || stats.size > limits.folderFileBytesMax) return null;
    const stamp = [stats.size, Math.round(stats.mtimeMs * 1000), stats.ino].map((part) => part.toString(36)).join('-');
    let known = this.known.get(path);
    if (known?.tag !== stamp) {
      const isGzip = await startsAsGzip(path).catch(() => null);
      if (isGzip === null) return null;
      known = folderFile(path, stamp, stats.size, isGzip);
    }
    this.known.delete(path);
    this.known.set(path, known);
    if (this.known.size > limits.folderFilesKnownMax) this.known.delete(this.known.keys().next().value!);
    return known;
  }
}

function folderFile(path: string, tag: string, byteLength: number, isGzip: boolean): FolderFile {
  const extension = extname(path).toLowerCase();
  const type = texts[extension] ?? otherTypes[extension] ?? 'application/octet-stream';
  const read = sharedRead(path);
  // It may be replaced or removed at any time.
  const body = (): Promise<Buffer> =>
    read().catch((error: unknown) => Promise.reject(new SquitterError('api.not_found', { path: basename(path) }, error)));
  const isCompressed = extension in texts && !isGzip;
  return {
    ...{ type, tag, byteLength, body },
    ...(isCompressed ? { packed: new Map() } : { compressedBytesMin: null }),
    ...(isGzip && extension in texts ? { more: ['content-encoding', 'gzip'] } : {}),
  };
}

/** tar1090 has its database as gzip under plain names. */
async function startsAsGzip(path: string): Promise<boolean> {
  const handle = await open(path);
  try {
    const { buffer } = await handle.read({ buffer: Buffer.alloc(2) });
    return buffer.readUInt16BE() === GZIP_MAGIC;
  } finally {
    await handle.close();
  }
}
