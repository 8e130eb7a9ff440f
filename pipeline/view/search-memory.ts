// Memory that searches reuse, because new arrays for each search would keep the garbage collector busy.

/** Memory of searches; it grows to the largest listing. */
export class SearchMemory {
  order = new Float64Array(0);
  indices = new Int32Array(0);
  distancesNm = new Float64Array(0);
  bearingsDeg = new Float64Array(0);

  /** Ensures room for `count` aircraft. */
  for(count: number): SearchMemory {
    if (this.order.length < count) {
      this.order = new Float64Array(2 * count);
      this.indices = new Int32Array(2 * count);
      this.distancesNm = new Float64Array(2 * count);
      this.bearingsDeg = new Float64Array(2 * count);
    }
    return this;
  }
}
