// `--require` reaches every thread, `--import` only the first one.
import('../../dist/modules/test/support/kill-points.js');
