// Errors between threads: posted as values, thrown again with their codes.
import { type ErrorCode, SquitterError } from '../../schemas/errors.ts';

/** An error that can be posted between threads. */
export interface ThreadError {
  readonly code: ErrorCode | null;
  readonly details: Readonly<Record<string, string | number>>;
  readonly text: string;
}

export function toThreadError(error: unknown): ThreadError {
  if (error instanceof SquitterError) return { code: error.code, details: { ...error.details }, text: error.message };
  return { code: null, details: {}, text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

export function fromThreadError(worker: string, error: ThreadError): SquitterError {
  if (error.code !== null) return new SquitterError(error.code, error.details);
  return new SquitterError('worker.failed', { worker, detail: error.text });
}
