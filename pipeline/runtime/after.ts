// A next step of what may be there at once: it waits only where it must.

/** Runs `step` with the value: now, or when the promise resolves. */
export function after<Value, Result>(
  value: Value | Promise<Value>,
  step: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(step) : step(value);
}
