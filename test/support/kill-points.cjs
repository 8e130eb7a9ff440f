// `--require` reaches every thread, `--import` only the first one.
import('../../dist/test/support/kill-points.js');
