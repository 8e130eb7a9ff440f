// `--require` loads it in every thread of a measured service: names the thread for /proc, and writes how long its collections took.
const { readdirSync, writeFileSync } = require('node:fs');
const { basename } = require('node:path');
const { PerformanceObserver } = require('node:perf_hooks');
const { isMainThread, threadId } = require('node:worker_threads');

const name = () => (isMainThread ? 'main' : basename(process.argv[1], '-thread.js'));

// At this moment all threads are V8's. Later ones without a name of their own serve the disk.
if (isMainThread) {
  for (const id of readdirSync('/proc/self/task')) if (Number(id) !== process.pid) writeFileSync(`/proc/self/task/${id}/comm`, 'V8');
} else setImmediate(() => writeFileSync('/proc/thread-self/comm', name()));

let ms = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) ms += duration;
  // The store's process has collections, too, which are not asked for.
  if (process.argv[1]?.endsWith('store-process.js') === false)
    writeFileSync(`${process.env.COLLECTIONS}/${name()}-${threadId}`, String(ms));
}).observe({ entryTypes: ['gc'] });
