// `--require` loads it in every thread of a measured service: names the thread for /proc, and notes how long its collections take.
const { readdirSync, writeFileSync } = require('node:fs');
const { basename } = require('node:path');
const { PerformanceObserver } = require('node:perf_hooks');
const { isMainThread } = require('node:worker_threads');

const name = () => (isMainThread ? 'main' : basename(process.argv[1], '-thread.js'));

// So early V8 alone has threads. The first thread keeps its name: later ones begin with the name of the one that starts them.
if (isMainThread) {
  for (const id of readdirSync('/proc/self/task')) if (Number(id) !== process.pid) writeFileSync(`/proc/self/task/${id}/comm`, 'V8');
} else setImmediate(() => writeFileSync('/proc/thread-self/comm', name()));

let ms = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) ms += duration;
  writeFileSync(`${process.env.COLLECTIONS}/${process.pid}-${name()}`, String(ms));
}).observe({ entryTypes: ['gc'] });
