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
  live: `${WEB}/map/live.js`,
  network: `${WEB}/network/network.ts`,
  stream: `${WEB}/stream/stream.ts`,
  feeders: `${WEB}/feeders/feeders.ts`,
  docs: `${WEB}/docs/docs.ts`,
  theme: `${WEB}/page/theme.ts`,
};
/** Files of packages that are served as they are: MapLibre's worker is built for it alone. */
const PACKAGE_FILES = {
  'maplibre-gl.js': 'maplibre-gl/dist/maplibre-gl.mjs',
  'maplibre-gl-worker.js': 'maplibre-gl/dist/maplibre-gl-worker.mjs',
  'uplot.css': 'uplot/dist/uPlot.min.css',
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
  const bundle = await rolldown({ input: SCRIPTS, platform: 'browser', external: /^maplibre-gl$/ });
  await bundle.write({
    dir: files,
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    paths: { 'maplibre-gl': './maplibre-gl.js' },
  });
  await bundle.close();
  for (const [name, from] of Object.entries(PACKAGE_FILES)) copyFileSync(`node_modules/${from}`, `${files}/${name}`);
  for (const file of readdirSync(WEB, { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.css')) copyFileSync(`${WEB}/${file}`, `${files}/${file.split('/').at(-1)}`);
  copyFileSync(`${WEB}/page/icon.svg`, `${files}/icon.svg`);
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

/**
 * Pages with what they share: `<!--head-->` and the like are files in `page`, `{web}` is the folder of the files, `{root}` the root of the service.
 * The frame of pages that the service writes is no page itself: the service fills in `{root}`, `{title}` and `{body}`.
 */
function writePages(web) {
  const whole = (file) =>
    readFileSync(`${WEB}/${file}`, 'utf8')
      .replace(/<!--(\w+)-->/g, (_, part) => readFileSync(`${WEB}/page/${part}.html`, 'utf8').trimEnd())
      .replaceAll('{web}', `{root}${web}`);
  for (const file of readdirSync(`${WEB}/pages`)) writeFileSync(`${OUT}/${file}`, whole(`pages/${file}`).replaceAll('{root}', './'));
  writeFileSync(`${OUT}/frame.template`, whole('page/frame.html'));
}
