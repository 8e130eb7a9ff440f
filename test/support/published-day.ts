// A folder with a published day of tiny files, for tests of the routes under /bulk/.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DailyManifest, dailyKinds, manifestName, parquetName, previewName } from '../../schemas/daily-file.ts';

/** Every file is `content`. */
export function publishDay(folder: string, day: string, content: Uint8Array, own: Partial<DailyManifest> = {}): void {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const files = dailyKinds.map((kind) => {
    const name = parquetName(kind, day);
    writeFileSync(join(folder, name), content);
    return { name, kind, rows: 10, bytes: content.length, sha256 };
  });
  writeFileSync(join(folder, previewName(day)), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const offsets = [{ partition: 0, first: 1, next: 2 }];
  const manifest: DailyManifest = {
    ...{ version: 1, day, licence: 'ODbL-1.0', attribution: 'A & B <i>', files },
    ...{ frames: offsets, flightsEnded: offsets, referenceSha256: '', writer: 'test', ...own },
  };
  writeFileSync(join(folder, manifestName(day)), JSON.stringify(manifest));
}
