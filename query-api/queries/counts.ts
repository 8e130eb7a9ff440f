// Lists CNT of decisions G6: how many of each, the greatest first, equal ones by code.

export interface Count {
  readonly code: string;
  readonly count: number;
}

/** Counts of what `codeOf` gives; null counts for nothing. */
export function countBy<T>(items: Iterable<T>, codeOf: (item: T) => string | null): Count[] {
  const counts = new Map<string, number>();
  for (const item of items) {
    const code = codeOf(item);
    if (code !== null) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return [...counts].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count || compareText(a.code, b.code));
}

/** By code units: the same everywhere. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
