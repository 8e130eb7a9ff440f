// Times in errors of the past. The thread that shows the past needs them without the code of the fold.

/** A time in UTC, whole seconds. */
export function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
