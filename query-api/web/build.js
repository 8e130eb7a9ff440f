// The build of the pages: the tree `dist/web` is what the service serves, path by path. Scripts, styles and map data are in one folder that has the hash
// of its content as its name: browsers keep it for good, and relative paths in it work behind every prefix.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { writeBaseMap } from './base-map/build.js';

const WEB = 'query-api/web';
/** It takes the place of `dist/web` when it is complete. */
const OUT = 'dist/web.new';
/** Scripts of pages and workers by name. They share what they import. */
const SCRIPTS = {
  map: `${WEB}/map/main.ts`,
  sky: `${WEB}/sky/worker.ts`,
  'base-map': `${WEB}/base-map/protocol.ts`,
  stream: `${WEB}/stream/stream.js`,
  feeders: `${WEB}/feeders/feeders.js`,
  docs: `${WEB}/docs/docs.ts`,
};
/** Style sheets, each of files of packages and of all files of some folders. */
const STYLES = { look: ['page'], map: ['uplot/dist/uPlot.min.css', 'map', 'panel', 'time'], stream: ['stream'], feeders: ['feeders'] };
/** Files of packages that are taken as they are: MapLibre's worker is built for it alone, and uPlot's licence is not in its code. */
const PACKAGE_FILES = {
  'maplibre-gl.js': 'maplibre-gl/dist/maplibre-gl.mjs',
  'maplibre-gl-worker.js': 'maplibre-gl/dist/maplibre-gl-worker.mjs',
  'uPlot.LICENSE': 'uplot/LICENSE',
};
/** Modules of the binary profile for clients of others: each alone, without imports. */
const BROWSER_MODULES = ['push/codec/decoder', 'push/codec/model'];
const VIEWER = 'node_modules/@scalar/fastify-api-reference';

/** Writes the tree. */
export async function buildWeb() {
  const files = `${OUT}/web/new`;
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(files, { recursive: true });
  for (const folder of ['stream', 'docs']) mkdirSync(`${OUT}/${folder}`);
  const bundle = await rolldown({ input: SCRIPTS, platform: 'browser', external: /^maplibre-gl/ });
  await bundle.write({
    dir: files,
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    paths: (name) => `./${name}.js`,
  });
  await bundle.close();
  for (const [name, from] of Object.entries(PACKAGE_FILES)) copyFileSync(`node_modules/${from}`, `${files}/${name}`);
  for (const [name, folders] of Object.entries(STYLES)) {
    const sheets = folders.flatMap((from) =>
      from.endsWith('.css')
        ? `node_modules/${from}`
        : readdirSync(`${WEB}/${from}`)
            .filter((file) => file.endsWith('.css'))
            .map((file) => `${WEB}/${from}/${file}`),
    );
    writeFileSync(`${files}/${name}.css`, sheets.map((file) => readFileSync(file, 'utf8')).join(''));
  }
  copyFileSync(`${WEB}/page/icon.svg`, `${files}/icon.svg`);
  // Pages that the service writes itself have no folder with a hash.
  copyFileSync(`${WEB}/page/look.css`, `${OUT}/look.css`);
  writeBaseMap(files);
  for (const name of BROWSER_MODULES) {
    const alone = await rolldown({ input: `${name}.ts`, platform: 'browser' });
    await alone.write({ file: `${OUT}/stream/${name.split('/').at(-1)}.js`, format: 'esm' });
    await alone.close();
  }
  // The viewer of the API's documentation, as its package brings it.
  copyFileSync(`${VIEWER}/dist/js/standalone.js`, `${OUT}/docs/viewer.js`);
  copyFileSync(`${VIEWER}/LICENSE`, `${OUT}/docs/viewer.LICENSE`);
  writePages(named(files));
  rmSync('dist/web', { recursive: true, force: true });
  renameSync(OUT, 'dist/web');
}

/** The folder, with its hash as its name. */
function named(folder) {
  const hash = createHash('sha256');
  for (const file of readdirSync(folder).sort()) hash.update(file).update(readFileSync(join(folder, file)));
  const path = `web/${hash.digest('base64url').slice(0, 12)}`;
  renameSync(folder, `${OUT}/${path}`);
  return path;
}

/** Pages with what they share: `<!--head-->` and the like are files in `page`, `{web}` is the folder of the files. */
function writePages(web) {
  for (const file of readdirSync(`${WEB}/pages`)) {
    const page = readFileSync(`${WEB}/pages/${file}`, 'utf8');
    const whole = page.replace(/<!--(\w+)-->/g, (_, part) => readFileSync(`${WEB}/page/${part}.html`, 'utf8').trimEnd());
    writeFileSync(`${OUT}/${file}`, whole.replaceAll('{web}', web));
  }
}
