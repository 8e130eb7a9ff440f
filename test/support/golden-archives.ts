// Golden sets of many files, kept as archives in test/golden/sets.
import { openInput } from '../../pipeline/reference/import/inputs.ts';
import { goldenData } from './requirements.ts';

/** The archive of independent reference data, without its routes. */
export const standingData = goldenData('reference', 'standing-data.tar.xz').path;

/** Inputs that a fuzzer found for another decoder, by path. */
export async function fuzzCorpus(): Promise<ReadonlyMap<string, Buffer>> {
  return await filesOf(goldenData('fuzz.tar.xz').path, () => true);
}

/** Files of an archive, by path. */
export async function filesOf(archive: string, wanted: (path: string) => boolean): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for await (const { path, bytes } of (await openInput(archive)).files()) {
    const pieces: Buffer[] = [];
    for await (const piece of bytes) if (wanted(path)) pieces.push(Buffer.from(piece));
    if (wanted(path)) files.set(path, Buffer.concat(pieces));
  }
  return files;
}
