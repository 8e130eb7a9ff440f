// Log fields of an error: each cause once, and a stack unless the error is from our catalogue.
import { SquitterError } from '../../schemas/errors.ts';

const CAUSES_MAX = 5;

export interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  /** Messages of causes, outermost first, without those that earlier messages contain. */
  readonly causes?: readonly string[];
  readonly stack?: string;
}

/** pino's serializer of `err`. */
export function errorFields(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name: type, message, code } = error as NodeJS.ErrnoException;
  const causes: string[] = [];
  let at: unknown = error.cause;
  for (let depth = 0; at !== undefined && at !== null && depth < CAUSES_MAX; depth += 1) {
    const text = at instanceof Error ? at.message : String(at);
    if (![message, ...causes].some((earlier) => earlier.includes(text))) causes.push(text);
    at = at instanceof Error ? at.cause : null;
  }
  const frames = error instanceof SquitterError ? undefined : framesOf(error);
  return {
    type,
    message,
    ...(code === undefined ? {} : { code }),
    ...(causes.length === 0 ? {} : { causes }),
    ...(frames === undefined ? {} : { stack: frames }),
  };
}

/** The stack without the message, which is a field of its own. */
function framesOf({ stack = '' }: Error): string {
  const first = stack.search(/^\s+at /m);
  return first < 0 ? '' : stack.slice(first);
}
