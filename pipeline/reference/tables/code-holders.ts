// Holders of codes that an import may give to another holder: codes are reassigned, and an import is newer than the shipped data.

export class CodeHolders {
  /** Names that held a code before the import. */
  private readonly before = new Map<string, string[]>();
  /** Names that the import gives a code to. */
  private readonly given = new Map<string, Set<string>>();

  constructor(holders: Iterable<readonly [code: string | undefined, name: string]>) {
    for (const [code, name] of holders) {
      if (code === undefined) continue;
      const names = this.before.get(code);
      if (names === undefined) this.before.set(code, [name]);
      else names.push(name);
    }
  }

  /** Gives a code to a name. Returns the names that lose it; a later `give` may restore one. */
  give(code: string | undefined, name: string): readonly string[] {
    if (code === undefined) return [];
    const given = this.given.get(code) ?? new Set();
    this.given.set(code, given.add(name));
    const losers = (this.before.get(code) ?? []).filter((holder) => !given.has(holder));
    this.before.delete(code);
    return losers;
  }
}
