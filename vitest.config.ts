// One test command. A test's place says its price: beside the code (milliseconds), test/* (seconds, processes).
import { defineConfig } from 'vitest/config';

/** Suites of real processes, brokers and real time: one after the other, as they would only make each other late. */
const PROCESS_SUITES = ['test/{contract,e2e,fault,local}/**/*.test.ts', 'infra/local/*.test.ts'];
const limits = { testTimeout: 30_000, hookTimeout: 30_000 };

export default defineConfig({
  test: {
    // Starts nothing by itself: real services come with the first suite that asks for them.
    globalSetup: ['test/support/local-services.ts'],
    projects: [
      {
        test: {
          ...limits,
          name: 'code',
          include: ['{pipeline,query-api,schemas,infra,test}/**/*.test.ts'],
          exclude: PROCESS_SUITES,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      { test: { ...limits, name: 'processes', include: PROCESS_SUITES, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
