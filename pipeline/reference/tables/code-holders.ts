// Who holds a code that an import may give to another: codes are given again, and what an operator imports is newer than what the program brings.

export class CodeHolders {
  /** Names that held a code before the import, and those that the import gives it to. */
  private readonly before = new Map<string, string[]>();
  private readonly given = new Map<string, Set<string>>();

  constructor(holders: Iterable<readonly [code: string | undefined, name: string]>) {
    for (const [code, name] of holders) {
      if (code === undefined) continue;
      const names = this.before.get(code);
      if (names === undefined) this.before.set(code, [name]);
      else names.push(name);
    }
  }

  /** The import gives the code to a name. Returns the names that lose it; one that is given it later has it again. */
  give(code: string | undefined, name: string): readonly string[] {
    if (code === undefined) return [];
    const given = this.given.get(code) ?? new Set();
    this.given.set(code, given.add(name));
    const losers = (this.before.get(code) ?? []).filter((holder) => !given.has(holder));
    this.before.delete(code);
    return losers;
  }
}
