// Counters by name and reason: the domain counts, and its caller decides how to show the counts.

export class Counters {
  readonly values = new Map<string, number>();

  add(name: string, count = 1): void {
    this.values.set(name, (this.values.get(name) ?? 0) + count);
  }

  get(name: string): number {
    return this.values.get(name) ?? 0;
  }
}
