// Errors of queries, for every protocol: a code of the catalogue, the invalid parameters, and when to try again. Each protocol maps them to its own
// status.

import { nearestName } from '../../pipeline/runtime/nearest-name.ts';
import { type ErrorCode, type ErrorWords, errorKinds, SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';

/** The problem of one parameter. */
export interface ParameterProblem {
  readonly param: string;
  readonly detail: string;
}

interface More {
  readonly parameters?: readonly ParameterProblem[];
  readonly retryAfterS?: number;
}

export class QueryError<Code extends ErrorCode = ErrorCode> extends SquitterError<Code> {
  readonly parameters: readonly ParameterProblem[];
  /** Seconds after which the same query may succeed; null when unknown. */
  readonly retryAfterS: number | null;

  constructor(code: Code, ...words: ErrorWords<Code, More>) {
    const [details, more = {}] = words;
    super(code, ...([details] as ErrorWords<Code, unknown>));
    this.parameters = more.parameters ?? [];
    this.retryAfterS = more.retryAfterS ?? errorKinds[code].retryAfterS ?? null;
  }
}

/** A parameter with an invalid value. */
export function badValue(param: string, value: string, detail: string): QueryError {
  const shown = `"${cut(value, limits.errorValueCharactersMax)}"`;
  return new QueryError('api.bad_value', { param, value: shown, detail }, { parameters: [{ param, detail }] });
}

/** Parameters without a value. */
export function missing(params: readonly string[]): QueryError {
  const parameters: ParameterProblem[] = params.map((param) => ({ param, detail: 'the parameter is missing' }));
  return new QueryError('api.missing_parameter', { param: params.join(', ') }, { parameters });
}

/** Unknown parameters; each with the nearest name, or all names. */
export function unknownParameter(params: readonly string[], names: readonly string[]): QueryError {
  const detailOf = (param: string): string => {
    if (names.length === 0) return 'this path has no query parameters';
    const nearest = nearestName(param, names);
    return nearest === undefined ? `expected one of ${names.join(', ')}` : `did you mean ${nearest}?`;
  };
  const parameters = params.map((param) => ({ param, detail: detailOf(param) }));
  const list = parameters.map(({ param, detail }) => `${param} (${detail})`).join(', ');
  return new QueryError('api.unknown_parameter', { param: list }, { parameters });
}

/** An unknown code, call sign or other identifier, as the client wrote it. */
export function unknownName(code: ErrorCode, name: 'code' | 'hex' | 'identifier', value: string): QueryError {
  return new QueryError(code, { [name]: cut(value, limits.errorValueCharactersMax) });
}

/** The client's text in an error: shortened. */
export function cut(text: string, charactersMax: number): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}
