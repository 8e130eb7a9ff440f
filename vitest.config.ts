// One test command. A test's place says its price: beside the code (milliseconds), test/* (seconds, processes).
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{pipeline,query-api,schemas,infra,test}/**/*.test.ts'],
    // Starts nothing by itself: real services come with the first suite that asks for them.
    globalSetup: ['test/support/local-services.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Two cores: more workers than that only make the process tests slower.
    maxWorkers: 2,
  },
});
