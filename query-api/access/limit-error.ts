// The error of a caller that has had its share: what its response says beside the text.
import { QueryError } from '../queries/errors.ts';

export class LimitError extends QueryError {
  /** `RateLimit-Policy` and `RateLimit`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Members of the problem: where the same data are without such a limit, and which policies were violated. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    code: QueryError['code'],
    details: QueryError['details'],
    { retryAfterS, headers, members }: { readonly retryAfterS: number } & Pick<LimitError, 'headers' | 'members'>,
  ) {
    super(code, details, { retryAfterS });
    this.headers = headers;
    this.members = members;
  }
}
