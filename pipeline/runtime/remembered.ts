// A value that is found again when it is old: many callers ask for it, and it takes a look at a log or a store.

/** `find` is called at most once in `msMax`, by a steady clock; a failure is not remembered. */
export function remembered<Value>(find: () => Promise<Value>, msMax: number): () => Promise<Value> {
  let found: { readonly value: Promise<Value>; readonly atMs: number } | null = null;
  return () => {
    if (found !== null && performance.now() - found.atMs < msMax) return found.value;
    const value = find();
    found = { value, atMs: performance.now() };
    value.catch(() => {
      found = null;
    });
    return value;
  };
}
