// The receiver's position is published only with `--show-receiver`. Web maps then draw it with range rings and an outline.
import { switchOption } from '../../../pipeline/runtime/options.ts';
import type { Site } from '../../../query-api/queries/maps/map-files.ts';
import { SquitterError } from '../../../schemas/errors.ts';

export const showReceiverOption = switchOption(
  'show-receiver',
  'publish the position of the receiver in /data/receiver.json; needs --receiver',
);

export interface ReceiverValues {
  readonly receiver: Site | null;
  readonly showReceiver: boolean;
}

/** The error of the two options together, or null. */
export function shownReceiverProblem({ receiver, showReceiver }: ReceiverValues): SquitterError | null {
  return showReceiver && receiver === null ? new SquitterError('usage.missing_argument', { argument: '--receiver' }) : null;
}

/** The position if it is published, otherwise null. Error: `usage.missing_argument`. */
export function shownReceiver(values: ReceiverValues): Site | null {
  const problem = shownReceiverProblem(values);
  if (problem !== null) throw problem;
  return values.showReceiver ? values.receiver : null;
}
