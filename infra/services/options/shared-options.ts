// Options that the embedded service and the services of the cluster share, and the check for unknown variables.
import {
  type Endpoint,
  endpoint,
  type OptionTable,
  parseEndpoint,
  parseHttpUrl,
  switchOption,
  textOption,
} from '../../../pipeline/runtime/options.ts';
import { SquitterError } from '../../../schemas/errors.ts';

/** Default address for feeders that push. */
export const LISTEN_DEFAULT: Endpoint = endpoint('127.0.0.1', 30_004);

export const httpOption = (port: number, help: string) =>
  ({
    ...textOption('http', 'HOST:PORT', help),
    fallback: endpoint('127.0.0.1', port) as Endpoint,
    parse: parseEndpoint,
  }) as const;

export const listenOption = <Fallback extends Endpoint | null>(fallback: Fallback, help: string) =>
  ({ ...textOption('listen', 'HOST:PORT', help), fallback: fallback as Fallback, parse: parseEndpoint }) as const;

export const feedOption = {
  ...textOption('feed', 'HOST:PORT', 'address to pull Beast or AVR from'),
  repeatable: true,
  fallback: [] as Endpoint[],
  parse: parseEndpoint,
} as const;

export const baseUrlOption = {
  ...textOption('base-url', 'URL', 'public URL of the service, for links in responses; without it, links are relative'),
  fallback: '',
  parse: parseHttpUrl,
} as const;

export const strictEnvironmentOption = switchOption(
  'strict-environment',
  'refuse to start if an environment variable that starts with SQUITTER_ is unknown; without it, a warning is logged',
);

/** Message of the log line for an unknown variable. */
export const UNKNOWN_VARIABLE_LINE = 'unknown environment variable';

/** Variables with our prefix that are in no table, except those that Kubernetes sets in each pod for every Service. */
export function unknownVariables(names: readonly string[], tables: readonly OptionTable[]): string[] {
  const known = new Set(tables.flatMap(variablesOf));
  return names.filter((name) => name.startsWith('SQUITTER_') && !known.has(name) && !/_(SERVICE_HOST|SERVICE_PORT|PORT)(_|$)/.test(name));
}

/** Their errors with `--strict-environment`. */
export function unknownVariableProblems(names: readonly string[]): SquitterError[] {
  return names.map((name) => new SquitterError('usage.unknown_variable', { name }));
}

/** Names of all variables of a table, including `_FILE` variables of secrets. */
function variablesOf(table: OptionTable): string[] {
  return Object.values(table).flatMap(({ env, secret }) => (env === undefined ? [] : secret === true ? [env, `${env}_FILE`] : [env]));
}
