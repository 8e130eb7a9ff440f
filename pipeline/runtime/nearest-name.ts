// Names similar to an unknown one, for error messages.
import { limits } from '../../schemas/limits/index.ts';

/** Minimum length at which a name counts as similar when one begins with the other: `latitude` for `lat`. */
const BEGINNING_CHARACTERS = 3;

/** The names with the fewest edits, as `limit` or `min_altitude or max_altitude`; undefined when none is similar. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const wrong = name.slice(0, limits.similarNameCharactersMax).toLowerCase();
  const near = candidates
    .map((candidate) => ({ candidate, edits: distance(wrong, candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(2, Math.floor(candidate.length / 3)));
  if (near.length === 0) return undefined;
  const fewest = Math.min(...near.map(({ edits }) => edits));
  const nearest = near.filter(({ edits }) => edits === fewest).map(({ candidate }) => candidate);
  return nearest.slice(0, limits.similarNamesMax).join(' or ');
}

function distance(wrong: string, candidate: string): number {
  const [shorter, longer] = wrong.length < candidate.length ? [wrong, candidate] : [candidate, wrong];
  const isBeginning = shorter.length >= BEGINNING_CHARACTERS && longer.startsWith(shorter);
  return isBeginning ? 1 : editDistance(wrong, candidate);
}

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
