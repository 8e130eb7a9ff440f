// Keeps the folder of published files within its disk space: the oldest days go first, the newest stays.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { manifestName, publishedName } from '../../schemas/daily-file.ts';

/** Removes whole days. Returns those that were removed. */
export async function trimPublished(folder: string, bytesMax: number): Promise<string[]> {
  const sizes = new Map<string, { names: string[]; bytes: number }>();
  for (const name of await readdir(folder).catch(() => [] as string[])) {
    if (!publishedName.test(name)) continue;
    const day = /\d{4}-\d\d-\d\d/.exec(name)![0];
    const { names, bytes } = sizes.get(day) ?? { names: [], bytes: 0 };
    const { size } = await stat(join(folder, name)).catch(() => ({ size: 0 }));
    sizes.set(day, { names: [...names, name], bytes: bytes + size });
  }
  let total = [...sizes.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  const removed: string[] = [];
  for (const [day, { names, bytes }] of [...sizes].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, -1)) {
    if (total <= bytesMax) break;
    // The manifest first: a day is never listed without its files.
    await rm(join(folder, manifestName(day)), { force: true });
    for (const name of names) await rm(join(folder, name), { force: true });
    total -= bytes;
    removed.push(day);
  }
  return removed;
}
