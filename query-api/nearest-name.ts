// The right name nearest to a wrong one, for errors that help.

/** The candidate with the fewest edits, when they are at most a third of its length (and at least two are allowed); else undefined. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestEdits = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const edits = editDistance(name.slice(0, NAME_CHARACTERS_MAX).toLowerCase(), candidate.toLowerCase());
    if (edits < bestEdits && edits <= Math.max(2, Math.floor(candidate.length / 3))) {
      best = candidate;
      bestEdits = edits;
    }
  }
  return best;
}

const NAME_CHARACTERS_MAX = 64;

/** Levenshtein distance: insertions, deletions and substitutions. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substituted, previous[j]! + 1, row[j - 1]! + 1));
    }
    previous = row;
  }
  return previous[b.length]!;
}
