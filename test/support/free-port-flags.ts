// Every port of `squitter start`, chosen by the system. It has no imports, because benchmarks and soaks use it, too.

/** Flags of `squitter start`. The same flag behind them replaces one. */
export const freePortFlags: readonly string[] = ['--http', '--listen', '--push', '--grpc'].flatMap((flag) => [flag, '127.0.0.1:0']);
