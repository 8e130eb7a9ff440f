// Where the receiver stands is told to nobody unless its operator says so: then web maps draw it, with range rings and an outline around it.
import type { Site } from '../../query-api/queries/maps/map-files.ts';
import { SquitterError } from '../../schemas/errors.ts';

export const showReceiverOption = {
  flag: 'show-receiver',
  env: 'SQUITTER_SHOW_RECEIVER',
  help: 'tell everybody where the receiver stands, in /data/receiver.json; needs --receiver',
  fallback: false as boolean,
} as const;

export interface ReceiverValues {
  readonly receiver: Site | null;
  readonly showReceiver: boolean;
}

/** What is wrong with both options together; null where nothing is. */
export function shownReceiverProblem({ receiver, showReceiver }: ReceiverValues): SquitterError | null {
  return showReceiver && receiver === null ? new SquitterError('usage.missing_argument', { argument: '--receiver' }) : null;
}

/** Null unless it is shown. Error: `usage.missing_argument`. */
export function shownReceiver(values: ReceiverValues): Site | null {
  const problem = shownReceiverProblem(values);
  if (problem !== null) throw problem;
  return values.showReceiver ? values.receiver : null;
}
