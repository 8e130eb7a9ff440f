// Binary search in a sorted typed array: finds a row by its key.

export interface SortedKeys {
  readonly length: number;
  readonly [row: number]: number;
}

/** First row whose key is not below `key`; the length if there is none. */
export function firstNotBelow(keys: SortedKeys, key: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Row of a key, or −1. */
export function rowOf(keys: SortedKeys, key: number): number {
  const row = firstNotBelow(keys, key);
  return keys[row] === key ? row : -1;
}
