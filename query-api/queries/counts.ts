// Lists CNT of decisions G6: counts by code, the greatest first, equal ones by code.

/** Counts the codes that `codeOf` returns; null is not counted. */
export function countBy<T>(items: Iterable<T>, codeOf: (item: T) => string | null) {
  const counts = new Map<string, number>();
  for (const item of items) {
    const code = codeOf(item);
    if (code !== null) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return [...counts].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count || compareText(a.code, b.code));
}

/** By code units: the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
