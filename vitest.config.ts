// Three test commands. `npm test` needs npm packages alone; `npm run test:engines` has what needs real brokers, other languages and many kills, and
// `npm run test:pages` our pages in a browser.
// A test's place says its price: beside the code (milliseconds), test/* (seconds, processes). No test is tried again: one that fails once is a defect.
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { loadUws } from './push/transport/uws-native.ts';

/** Suites of pure code that take seconds: `npm run test:fast` leaves them out. */
const THOROUGH = [
  'test/{properties,sim,truth}/*.test.ts',
  'test/golden/fuzz.test.ts',
  'infra/grafana/*.test.ts',
  'pipeline/ingest/file-reader.test.ts',
  'pipeline/aircraft/table.test.ts',
  'schemas/{api,proto}/*.test.ts',
  'exporters/daily/write-day.test.ts',
  'query-api/rpc/records.test.ts',
  'pipeline/simulate/{traffic,flights/leg}.test.ts',
  'test/proof/simulated/every-format.test.ts',
  'pipeline/reference/{addresses/registrations,shipped/shipped}.test.ts',
  'query-api/queries/{coverage,maps/map-files}.test.ts',
  'query-api/rpc/connect.test.ts',
  'query-api/http/{coverage-headers,contract/{lint,push/frames,push/messages},sockets}.test.ts',
];
/** Suites that start the executable or the embedded engines. */
const SERVICES = ['test/{contract,e2e,wild}/**/*.test.ts', 'test/local/*.test.ts'];
/** Suites that need npm packages alone, but a minute or more each: the first test of a newcomer does not wait for them. */
const LONG = ['test/e2e/{clock,data-folder,extend,package,past,push-clients}.test.ts'];
/** Our pages in Chromium. */
const PAGES = ['test/pages/*.test.ts'];
/** Suites that need more than npm packages, and long ones. */
const ENGINES = ['test/{cluster,clients,fault}/**/*.test.ts', ...LONG];

/** uWebSockets.js needs a C library that Debian 12 does not have: there `.ci/on-node` runs its suite, with a newer one. */
const UNLOADABLE = 'module' in loadUws(import.meta.url) ? [] : ['push/transport/transport-uws.test.ts'];

/** Folders of the product, which the build compiles to dist/. */
const SHIPPED = ['pipeline', 'query-api', 'push', 'exporters', 'schemas', 'infra'];

const shared = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // No module has state (test/tidy.test.ts): loading each once per worker takes a third of the time.
  isolate: false,
  // Three workers on two cores, because tests wait part of their time.
  maxWorkers: 3,
  // More workers than cores: threads that help a collection of one take the cores of the others. A fifth of the time of the unit tests.
  execArgv: ['--single-threaded-gc'],
  server: { deps: { external: [/\/dist\//] } },
  // CI's closing lines have the messages of failures alone: 40 characters of a value, vitest's own limit, say too little.
  chaiConfig: { truncateThreshold: 1000 },
};
/** Processes and brokers on a busy machine are slow, which is no failure. */
const patient = { ...shared, testTimeout: 240_000, hookTimeout: 240_000 };

/** An import of a product module gives the built one. Tests so run the code that is shipped, with its constants inlined, and vitest does not transform it. */
const asBuilt = {
  name: 'as-built',
  enforce: 'pre' as const,
  resolveId(source: string, importer?: string) {
    if (importer === undefined || !/^\.{1,2}\/.*\.ts$/.test(source)) return null;
    const file = relative(import.meta.dirname, resolve(dirname(importer), source));
    const built = join(import.meta.dirname, 'dist/modules', file.replace(/\.ts$/, '.js'));
    return SHIPPED.includes(file.split('/')[0]!) && existsSync(join(import.meta.dirname, file)) && existsSync(built) ? built : null;
  },
};

/** The longest engine suites begin first. vitest goes by the size of a file, and ran kill-loop, three minutes in 76 lines, alone at the end. */
const LONGEST =
  /test\/(cluster\/(services-under-load|cluster-command|cluster-history|cluster-services|event-log-kafka|three-brokers)|clients\/(records|verify)|e2e\/(package|data-folder)|fault\/(kill-loop|history-writing|export))\.test/;
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number =>
      2 * project.config.sequence.groupOrder + (LONGEST.test(moduleId) ? 0 : 1);
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** Groups run one after the other. */
export default defineConfig({
  // A build is no reason to run again: it comes with each run.
  server: { watch: { ignored: ['**/dist/**'] } },
  test: {
    reporters: ['default', './test/support/reporter.ts'],
    // The second starts nothing by itself: real services come with the first suite that asks for them.
    globalSetup: ['test/support/build.ts', 'test/support/local-services.ts'],
    // In the watch mode: modules that are built are not in vitest's graph.
    forceRerunTriggers: SHIPPED.map((folder) => `**/${folder}/**/*.ts`),
    // A service of a test keeps history where the test is about that: the store takes a second and 350 MB.
    // One thread folds, whatever the machine, where the test is not about more.
    env: { SQUITTER_NO_HISTORY: '1', SQUITTER_FOLD_THREADS: '1' },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        plugins: [asBuilt],
        test: {
          ...shared,
          name: 'fast',
          include: ['{pipeline,query-api,push,exporters,schemas,infra,test}/**/*.test.ts'],
          exclude: [...THOROUGH, ...SERVICES, ...ENGINES, ...PAGES, ...UNLOADABLE],
          sequence: { groupOrder: 0 },
        },
      },
      { plugins: [asBuilt], test: { ...shared, name: 'thorough', include: THOROUGH, sequence: { groupOrder: 0 } } },
      { plugins: [asBuilt], test: { ...patient, name: 'services', include: SERVICES, exclude: LONG, sequence: { groupOrder: 1 } } },
      { plugins: [asBuilt], test: { ...patient, name: 'engines', include: ENGINES, sequence: { groupOrder: 1 } } },
      // One at a time: software draws the map, on a core of its own.
      { plugins: [asBuilt], test: { ...patient, name: 'pages', include: PAGES, fileParallelism: false, sequence: { groupOrder: 2 } } },
    ],
  },
});
