// Errors as ClickHouse reports them: a code, and a text that contains it.

const CODE = /Code: (\d+)\./;
const UNKNOWN = 1002;

export class EngineError extends Error {
  readonly code: number;

  /** `text` ends with the name of the code in parentheses. */
  constructor(code: number, text: string) {
    super(`Code: ${code}. DB::Exception: ${text}`);
    this.code = code;
  }
}

/** An error of the engine, whose text contains its code. */
export function engineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const code = CODE.exec(text)?.[1];
  if (code === undefined) return new EngineError(UNKNOWN, `${text} (UNKNOWN_EXCEPTION)`);
  const wrapped = new EngineError(Number(code), '');
  wrapped.message = text.trim();
  return wrapped;
}

export const errors = {
  syntax: (what: string) => new EngineError(62, `Syntax error: ${what} (SYNTAX_ERROR)`),
  notImplemented: (what: string) => new EngineError(48, `${what} (NOT_IMPLEMENTED)`),
  outside: (what: string) => new EngineError(497, `Not enough privileges: ${what} reaches outside the history store. (ACCESS_DENIED)`),
  tooMany: (limit: number) => new EngineError(202, `Too many simultaneous queries. Maximum: ${limit}. (TOO_MANY_SIMULTANEOUS_QUERIES)`),
  unauthenticated: (user: string) =>
    new EngineError(
      516,
      `${user}: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)`,
    ),
  tooLarge: (bytes: number) => new EngineError(307, `The body is too large: the limit is ${bytes} bytes. (TOO_MANY_BYTES)`),
  noSpace: (detail: string) => new EngineError(243, `Cannot reserve space, not enough space: ${detail}. (NOT_ENOUGH_SPACE)`),
  cancelled: () => new EngineError(394, 'Query was cancelled. (QUERY_WAS_CANCELLED)'),
  unknownSetting: (name: string) => new EngineError(115, `Unknown setting '${name}'. (UNKNOWN_SETTING)`),
} as const;

/** Clients take the code from the text; the status is for readers. */
export function statusOf(code: number): number {
  if (code === 497 || code === 516) return 403;
  return code === 62 ? 400 : 500;
}
