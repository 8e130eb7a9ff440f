// The version of the fold's rules. Two folds of one version give the same records from the same state and frames; others may differ.
//
//   5  the rules of 0.1.0
//
// Raise it once per release that changes the fold's output. The times of ticks must not change: a new version continues after the last tick of
// the old one. A new version starts at the committed offset, from the old version's newest snapshot and a silent replay by its own rules.
import { SquitterError } from '../../schemas/errors.ts';
import { topics } from '../../schemas/topics.ts';

/** The group of the log under which the fold commits. */
export const FOLD_GROUP = 'fold';
export const FOLD_VERSION = 5;
const FIRST_RELEASED = 5;

/** Version that wrote a record or a state, if this version can continue from it. Errors: `fold.newer_version`, `log.older_format`. */
export function checkedVersion(found: number): number {
  if (found > FOLD_VERSION) throw new SquitterError('fold.newer_version', { found, own: FOLD_VERSION });
  if (found < FIRST_RELEASED)
    throw new SquitterError('log.older_format', {
      path: topics.progress.name,
      found: `${found} of the fold`,
      known: `${FIRST_RELEASED} of the fold`,
    });
  return found;
}
