// One test command. A test's place says its price: beside the code (milliseconds), test/* (seconds, processes).
import { defineConfig } from 'vitest/config';

/** Suites that play recordings at their own pace and look at the clock: two at a time, as they mostly wait, and beside no others, which would make them late. */
const REAL_TIME = ['test/e2e/{outputs,start,verify}.test.ts', 'test/fault/kill-loop.test.ts'];
/** Suites of pure code that take seconds: `npm run test:fast` leaves them out. */
const THOROUGH = [
  'test/{properties,sim,truth}/*.test.ts',
  'test/golden/fuzz.test.ts',
  'infra/{grafana/*,services/standby-transport}.test.ts',
  'pipeline/ingest/file-reader.test.ts',
  'pipeline/view/table.test.ts',
  'schemas/{api,proto}/*.test.ts',
  'exporters/daily/write-day.test.ts',
  'query-api/rpc/records.test.ts',
  'pipeline/simulate/{traffic,every-format,flights/leg}.test.ts',
  'pipeline/reference/{addresses/registrations,shipped/shipped}.test.ts',
  'query-api/queries/{coverage,maps/map-files}.test.ts',
  'query-api/rpc/connect/fuzz.test.ts',
  'query-api/http/{coverage-headers,contract/{lint,push/frames,push/messages},sockets}.test.ts',
];
/** Suites of real processes and brokers. They have patience. */
const PROCESSES = ['test/{contract,e2e,fault,local,wild}/**/*.test.ts', 'infra/local/*.test.ts'];
const limits = { testTimeout: 30_000, hookTimeout: 30_000 };
/** No module has state (test/tidy.test.ts): loading each once per worker takes a third of the time. */
const shared = { isolate: false };
/** A shared machine may stand still for seconds, and a process or a broker is then late through no fault of ours: once more. */
const patient = { ...limits, retry: 1 };

/** Two cores: more than three workers would only make each other slower; some of their tests wait. Groups run one after the other. */
export default defineConfig({
  test: {
    reporters: ['default', './test/support/skip-reporter.ts'],
    // Starts nothing by itself: real services come with the first suite that asks for them.
    globalSetup: ['test/support/local-services.ts'],
    // A service of a test keeps history where the test is about that: the store takes a second and 350 MB.
    env: { SQUITTER_NO_HISTORY: '1' },
    projects: [
      {
        test: {
          ...limits,
          name: 'fast',
          include: ['{pipeline,query-api,push,exporters,schemas,infra,test}/**/*.test.ts'],
          exclude: [...THOROUGH, ...PROCESSES],
          ...shared,
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...limits, ...shared, name: 'thorough', include: THOROUGH, maxWorkers: 3, sequence: { groupOrder: 0 } } },
      { test: { ...patient, name: 'real time', include: REAL_TIME, maxWorkers: 2, sequence: { groupOrder: 1 } } },
      {
        test: {
          ...patient,
          ...shared,
          name: 'processes',
          include: PROCESSES,
          exclude: REAL_TIME,
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
