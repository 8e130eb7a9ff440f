// The fold of the next version: this code, with the version that follows. It takes over what this version wrote, as after an upgrade.
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { FOLD_VERSION } from '../../pipeline/fold/version.ts';
import { projectDir } from './requirements.ts';

const MODULES = { worker: 'pipeline/fold/worker.ts', audit: 'pipeline/tools/audit/audit.ts', past: 'pipeline/past/partition-past.ts' };

export async function nextFold() {
  const folder = mkdtempSync(join(projectDir, 'dist/next-fold-'));
  const bundle = await rolldown({
    cwd: projectDir,
    input: MODULES,
    platform: 'node',
    external: /^[a-z@]/,
    plugins: [
      {
        name: 'next-version',
        // Classes of the log and of errors stay those of the test.
        resolveId(source: string, importer?: string) {
          if (importer === undefined || !source.startsWith('.')) return null;
          const file = relative(projectDir, resolve(dirname(importer), source));
          if (/^pipeline\/(fold|tools|past)\//.test(file)) return null;
          return { id: pathToFileURL(join(projectDir, 'dist/modules', file.replace(/\.ts$/, '.js'))).href, external: true };
        },
        transform: {
          filter: { id: /pipeline\/fold\/version\.ts$/ },
          handler: (code: string) => code.replace(`FOLD_VERSION = ${FOLD_VERSION}`, `FOLD_VERSION = ${FOLD_VERSION + 1}`),
        },
      },
    ],
  });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].js' });
  await bundle.close();
  const load = (name: keyof typeof MODULES): Promise<unknown> => import(join(folder, `${name}.js`));
  return {
    version: FOLD_VERSION + 1,
    ...((await load('worker')) as typeof import('../../pipeline/fold/worker.ts')),
    ...((await load('audit')) as typeof import('../../pipeline/tools/audit/audit.ts')),
    ...((await load('past')) as typeof import('../../pipeline/past/partition-past.ts')),
    remove: (): void => rmSync(folder, { recursive: true, force: true }),
  };
}
