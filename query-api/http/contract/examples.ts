// Real responses of the service, by documented path: examples.json in this folder, written by test/e2e/examples.test.ts.
import { packageFile } from '../../../pipeline/runtime/package-root.ts';

/** A request and its response. */
export interface Example {
  readonly path: Readonly<Record<string, string | number>>;
  readonly query: Readonly<Record<string, string | number>>;
  readonly response: unknown;
}

export type Examples = Readonly<Record<string, Example>>;

export function readExamples(): Examples {
  return JSON.parse(packageFile('query-api/http/contract/examples.json').toString()) as Examples;
}
