// The two headers of geographic responses: receiver coverage at their position.
import type { MeasuredReceivers } from '../../pipeline/view/measured-receivers.ts';
import { type CoveredPosition, receiverCoverage } from '../queries/coverage.ts';

const NONE: readonly string[] = [];

/** Names and values in turn; none before a receiver is measured. */
export function coverageHeaders(receivers: MeasuredReceivers, position: CoveredPosition | undefined): readonly string[] {
  const covered = position === undefined ? null : receiverCoverage(receivers, position);
  return covered === null ? NONE : ['x-service-coverage', covered.coverage, 'x-service-nearest-receiver', covered.nearest];
}
