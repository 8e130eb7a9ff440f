// The build, with constants in the place of their names: V8 reads an imported constant from memory and checks it at every use, and the fold uses hundreds of
// them per frame: inlined, it folds a third more. It writes programs and threads, whose modules are joined, because Node takes a millisecond to load each of
// a thousand; and for tests and benches each module by itself. Types are tsc's to check.
// With --if-changed it ends at once when no input changed since the last complete build and every file of that is there.
import './infra/cli/node-floor.js';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

const FOLDERS = [
  'pipeline',
  'query-api',
  'push',
  'exporters',
  'schemas',
  'infra',
  'test/bench',
  'test/soak',
  'test/truth',
  'test/proof',
  'test/local',
  'test/runner',
];
/** Programs and threads of the package. */
const PROGRAMS = [
  'infra/cli/squitter.ts',
  ...['ingest', 'stages', 'project'].map((name) => `infra/embedded/${name}-thread.ts`),
  ...['infra/past/sky-thread.ts', 'infra/past/fold-thread.ts', 'infra/history-store/store-process.ts', 'pipeline/tools/audit/thread.ts'],
];
/**
 * Packages that are not joined with programs: native code, optional ones, and those of the cluster and of tools. The others have 650
 * modules: loading the service takes 400 ms of CPU with them joined, and 610 ms and 8 MB more one by one.
 */
const APART =
  /^(?:node:|lmdb|chdb|@duckdb|@btc-vision|uWebSockets|@toondepauw|msgpackr|s3mini|kafkajs|ioredis|bullmq|@modelcontext|light-my|bufferutil|utf-8)/;
/** V8 keeps the text of a module in each thread, and needs two bytes for each character if one of them is not in Latin-1. */
const ASCII = { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } };
/** Programs that tests start as processes and threads of their own. */
const TEST_PROGRAMS = [
  'test/contract/log-limits-child.ts',
  'test/contract/log-damage-child.ts',
  'test/contract/limit-store-child.ts',
  'test/contract/event-log-child.ts',
  'test/contract/event-log-thread.ts',
  'test/support/kafka-member.ts',
  'test/support/kill-points.ts',
];

/** Modules whose constants are computed: they are evaluated here and built as plain numbers, as only literals are inlined. */
const COMPUTED = ['pipeline/fold/layout.ts'];

/** The pages have a build of their own. */
const WEB = 'query-api/web';

/** Code that programs share, and code that a program loads later. */
const CHUNKS = 'dist/chunks';
/** The modules one by one: no part of the package. */
const MODULES = 'dist/modules';
/** The licences of the packages that are joined with programs. */
const LICENSES = 'dist/LICENSES.txt';
/** Names, times and sizes of what the last complete build read. */
const STAMP = `${MODULES}/inputs.txt`;

/** Shipped airports as text, and packed as imported tables are. */
const AIRPORTS = 'pipeline/reference/shipped/airports.tsv';
const AIRPORT_TABLE = 'dist/airports.table';

const modules = [...FOLDERS.flatMap(sources), ...TEST_PROGRAMS];
const inputs = [...modules, ...files(WEB), AIRPORTS, 'infra/cli/node-floor.js', 'build.js', 'package-lock.json'].map(described).join('\n');
if (process.argv.includes('--if-changed') && isBuilt()) process.exit(0);
for (const old of [STAMP, CHUNKS]) rmSync(old, { recursive: true, force: true });

// Loaded after the check of Node: its own message on an old one is a syntax error.
const { rolldown } = await import('rolldown');
const [programs] = await Promise.all([
  write(PROGRAMS, APART, {
    dir: 'dist',
    chunkFileNames: `${CHUNKS.slice('dist/'.length)}/[name].js`,
    polyfillRequire: true,
    comments: false,
    minify: ASCII,
  }),
  write(modules, /^[a-z@]/, { dir: MODULES, preserveModules: true, preserveModulesRoot: '.' }),
]);
await writeAirports();
writeFileSync(LICENSES, licensesOf(programs.flatMap(({ moduleIds = [] }) => moduleIds)));
const { buildWeb } = await import(`./${WEB}/build.js`);
await buildWeb();
writeFileSync(STAMP, inputs);

async function write(entries, external, output) {
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((file) => [file.slice(0, -'.ts'.length), file])),
    platform: 'node',
    plugins: [{ name: 'computed-constants', load: { filter: { id: new RegExp(`/(${COMPUTED.join('|')})$`) }, handler: literals } }],
    external,
    treeshake: false,
    optimization: { inlineConst: { mode: 'all', pass: 3 } },
  });
  const { output: written } = await bundle.write({
    format: 'esm',
    entryFileNames: '[name].js',
    sourcemap: true,
    polyfillRequire: false,
    ...output,
  });
  await bundle.close();
  return written;
}

async function writeAirports() {
  const folder = `./${MODULES}/pipeline/reference`;
  const [{ shippedAirports }, { AirportSet }] = await Promise.all([
    import(`${folder}/shipped/airports.js`),
    import(`${folder}/tables/airports.js`),
  ]);
  writeFileSync(AIRPORT_TABLE, Buffer.concat(new AirportSet(shippedAirports()).pack().pieces));
}

/** The licences of the packages that these modules are from: who copies their code must copy them, too. */
function licensesOf(modules) {
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []));
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name} ${version}, ${license}\n\n${file === undefined ? '' : readFileSync(`${folder}/${file}`, 'utf8')}`;
  });
  return texts.join('\n\n');
}

function described(file) {
  const { mtimeMs, size } = statSync(file);
  return `${file} ${mtimeMs} ${size}`;
}

function isBuilt() {
  const outputs = [...PROGRAMS.map((file) => `dist/${file}`), ...modules.map((file) => `${MODULES}/${file}`)].map((file) =>
    file.replace(/\.ts$/, '.js'),
  );
  return (
    existsSync(STAMP) && readFileSync(STAMP, 'utf8') === inputs && [...outputs, AIRPORT_TABLE, 'dist/web/index.html'].every(existsSync)
  );
}

/** The module with the values of its exports in the place of its code. */
async function literals(id) {
  const evaluated = await rolldown({ input: id, platform: 'node' });
  const { output } = await evaluated.generate({ format: 'esm' });
  await evaluated.close();
  const constants = Object.entries(await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`));
  for (const [name, value] of constants) if (typeof value !== 'number') throw new Error(`${name} in ${id} is not a number`);
  return constants.map(([name, value]) => `export const ${name} = ${value};\n`).join('');
}

function files(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`);
}

function sources(folder) {
  return files(folder).filter((file) => file.endsWith('.ts') && !file.startsWith(WEB) && !/\.(test|contract)\.ts$/.test(file));
}
