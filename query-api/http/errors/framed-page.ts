// A page that the service writes itself, in the frame of all pages.
import type { FilesPage } from '../../../exporters/catalog/pages.ts';
import { packageFile } from '../../../pipeline/runtime/package-root.ts';

/** The page for the path that was asked. Links are relative to it: whatever prefix a proxy adds, they stay right. */
export function framedPage(path: string, { title, body }: FilesPage): string {
  const depth = path.split('/').length - 2;
  // From the disk each time: few ask, and the file is small.
  return packageFile('dist/web/frame.template')
    .toString()
    .replaceAll('{title}', () => title)
    .replace('{body}', () => body)
    .replaceAll('{root}', depth <= 0 ? './' : '../'.repeat(depth));
}
