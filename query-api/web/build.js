// The build of the pages: the tree `dist/web` is what the service serves, path by path. Scripts, styles and map data are in one folder that has the hash
// of its content as its name: browsers keep it for good, and relative paths in it work behind every prefix.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { writeBaseMap } from './base-map/build.js';

const WEB = 'query-api/web';
/** It takes the place of `dist/web` when it is complete. */
const OUT = 'dist/web.new';
/** Scripts of pages and workers by name. They share what they import. */
const SCRIPTS = {
  map: `${WEB}/map/main.ts`,
  embed: `${WEB}/map/embed.ts`,
  sky: `${WEB}/sky/worker.ts`,
  sw: `${WEB}/offline/sw.ts`,
  'base-map': `${WEB}/base-map/protocol.ts`,
  stream: `${WEB}/stream/stream.js`,
  feeders: `${WEB}/feeders/feeders.js`,
  docs: `${WEB}/docs/docs.ts`,
};
/** Style sheets, each of all those of some folders. */
const STYLES = { look: ['page'], map: ['map', 'panel', 'time'], stream: ['stream'], feeders: ['feeders'] };
/** Files of packages that are served as they are: MapLibre's worker is built for it alone. */
const PACKAGE_FILES = {
  'maplibre-gl.js': 'maplibre-gl/dist/maplibre-gl.mjs',
  'maplibre-gl-worker.js': 'maplibre-gl/dist/maplibre-gl-worker.mjs',
};
/** Modules of the binary profile for clients of others: each alone, without imports. */
const BROWSER_MODULES = ['push/codec/decoder', 'push/codec/model'];
/** Larger files are kept offline once they are asked for. */
const KEPT_BYTES_MAX = 256 * 1024;
const VIEWER = 'node_modules/@scalar/fastify-api-reference';

/** Writes the tree. */
export async function buildWeb() {
  const files = `${OUT}/web/new`;
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(files, { recursive: true });
  for (const folder of ['stream', 'docs']) mkdirSync(`${OUT}/${folder}`);
  const bundle = await rolldown({ input: SCRIPTS, platform: 'browser', external: /^maplibre-gl/ });
  const { output } = await bundle.write({
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
    const sheets = folders.flatMap((folder) =>
      readdirSync(`${WEB}/${folder}`)
        .filter((file) => file.endsWith('.css'))
        .map((file) => `${WEB}/${folder}/${file}`),
    );
    writeFileSync(`${files}/${name}.css`, sheets.map((file) => readFileSync(file, 'utf8')).join(''));
  }
  for (const file of ['page/icon.svg', 'offline/icon-192.png', 'offline/icon-512.png'])
    copyFileSync(`${WEB}/${file}`, `${files}/${file.split('/')[1]}`);
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
  writePages(named(files), Object.fromEntries(output.filter(({ isEntry }) => isEntry).map(({ name, imports }) => [name, imports])));
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

/** Pages with what they share: `<!--head-->` and the like are files in `page`, `{web}` is the folder of the files; `imports` are those of scripts. */
function writePages(web, imports) {
  // A service worker serves the folder that it is in. It keeps all but the details of the base map.
  const first = readdirSync(`${OUT}/${web}`).filter((file) => file !== 'sw.js' && statSync(`${OUT}/${web}/${file}`).size < KEPT_BYTES_MAX);
  writeFileSync(
    `${OUT}/sw.js`,
    readFileSync(`${OUT}/${web}/sw.js`, 'utf8').replace('{first}', [...first, 'maplibre-gl.js', 'maplibre-gl-worker.js'].join(',')),
  );
  rmSync(`${OUT}/${web}/sw.js`);
  for (const file of [...readdirSync(`${WEB}/pages`).map((name) => `pages/${name}`), 'offline/manifest.webmanifest']) {
    const page = readFileSync(`${WEB}/${file}`, 'utf8');
    const whole = page.replace(/<!--(\w+)-->/g, (_, part) => readFileSync(`${WEB}/page/${part}.html`, 'utf8').trimEnd());
    // Browsers learn of imports of imports late.
    const preloaded = whole.replace(/<!--preload (\w+)-->/, (_, name) =>
      imports[name].map((script) => `<link rel="modulepreload" href="{web}/${script.replace('./', '')}">`).join('\n'),
    );
    writeFileSync(`${OUT}/${file.split('/')[1]}`, preloaded.replaceAll('{web}', web));
  }
}
