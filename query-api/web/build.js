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
  map: `${WEB}/map-page/main.ts`,
  embed: `${WEB}/map-page/embed.ts`,
  sky: `${WEB}/sky/worker.ts`,
  sw: `${WEB}/offline/sw.ts`,
  'base-map': `${WEB}/base-map/protocol.ts`,
  network: `${WEB}/network/network.ts`,
  stream: `${WEB}/stream/stream.ts`,
  feeders: `${WEB}/feeders/feeders.ts`,
  docs: `${WEB}/docs/docs.ts`,
  theme: `${WEB}/page/theme.ts`,
};
/** Folders whose style sheets are those of the map. */
const MAP_STYLES = ['map', 'panel', 'time', 'layers'];
/** Files of packages that are served as they are: MapLibre's worker is built for it alone, and uPlot's licence is not in its code. */
const PACKAGE_FILES = {
  'maplibre-gl.js': 'maplibre-gl/dist/maplibre-gl.mjs',
  'maplibre-gl-worker.js': 'maplibre-gl/dist/maplibre-gl-worker.mjs',
  'uplot.css': 'uplot/dist/uPlot.min.css',
  'uPlot.LICENSE': 'uplot/LICENSE',
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
  writeStyles(files);
  for (const file of ['page/icon.svg', 'offline/icon-192.png', 'offline/icon-512.png'])
    copyFileSync(`${WEB}/${file}`, `${files}/${file.split('/')[1]}`);
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

/** One style sheet for the map; others under their names. */
function writeStyles(folder) {
  const sheets = readdirSync(WEB, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.css'));
  const ofMap = sheets.filter((file) => MAP_STYLES.includes(file.split('/')[0])).sort();
  writeFileSync(`${folder}/map.css`, ofMap.map((file) => readFileSync(`${WEB}/${file}`, 'utf8')).join(''));
  for (const file of sheets) if (!ofMap.includes(file)) copyFileSync(`${WEB}/${file}`, `${folder}/${file.split('/')[1]}`);
}

/**
 * Pages with what they share: `<!--body-->` stands between head and body of a page, `<!--header-->` and the like are files in `page`, `{web}` is the
 * folder of the files, `{root}` the root of the service. The frame of pages that the service writes is no page itself: it fills in `{root}`, `{title}` and `{body}`.
 * `imports` are those of scripts.
 */
function writePages(web, imports) {
  const whole = (file) =>
    readFileSync(`${WEB}/${file}`, 'utf8')
      // The page of the viewer has a head of its own.
      .replace(
        /^(.*)<!--body ?(.*?)-->(.*)$/s,
        '<!doctype html>\n<html lang="en">\n<head>\n<!--head-->\n$1</head>\n<body class="$2">$3</body>\n</html>\n',
      )
      .replace('<body class="">', '<body>')
      .replace(/<!--(\w+)-->/g, (_, part) => readFileSync(`${WEB}/page/${part}.html`, 'utf8').trimEnd())
      // Browsers learn of imports of imports late.
      .replace(/<!--preload (\w+)-->/, (_, name) =>
        imports[name].map((script) => `<link rel="modulepreload" href="{web}/${script.replace('./', '')}">`).join('\n'),
      )
      .replaceAll('{web}', `{root}${web}`);
  const pages = readdirSync(`${WEB}/pages`).map((name) => `pages/${name}`);
  for (const file of [...pages, 'offline/manifest.webmanifest'])
    writeFileSync(`${OUT}/${file.split('/')[1]}`, whole(file).replaceAll('{root}', './'));
  writeFileSync(`${OUT}/frame.template`, whole('page/frame.html'));
  // A service worker serves the folder that it is in. It keeps all but the details of the base map.
  const first = readdirSync(`${OUT}/${web}`).filter(
    (file) => !/^sw\.js$|LICENSE$/.test(file) && statSync(`${OUT}/${web}/${file}`).size < KEPT_BYTES_MAX,
  );
  const script = readFileSync(`${OUT}/${web}/sw.js`, 'utf8').replace(
    '{first}',
    [...first, 'maplibre-gl.js', 'maplibre-gl-worker.js'].join(','),
  );
  writeFileSync(`${OUT}/sw.js`, script);
  rmSync(`${OUT}/${web}/sw.js`);
}
