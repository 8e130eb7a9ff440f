// All limits of the service, each with the reason for its number. Code that reaches a limit counts it; nothing is unbounded.
import { accessLimits } from './access.ts';
import { foldLimits } from './fold.ts';
import { historyLimits } from './history.ts';
import { ingestLimits } from './ingest.ts';
import { logLimits } from './log.ts';
import { pastLimits } from './past.ts';
import { pushLimits } from './push.ts';
import { queriesLimits } from './queries.ts';
import { referenceLimits } from './reference.ts';
import { servicesLimits } from './services.ts';
import { trackLimits } from './tracks.ts';
import { viewLimits } from './view.ts';

export const limits = {
  ...accessLimits,
  ...foldLimits,
  ...historyLimits,
  ...ingestLimits,
  ...logLimits,
  ...pastLimits,
  ...pushLimits,
  ...queriesLimits,
  ...referenceLimits,
  ...servicesLimits,
  ...trackLimits,
  ...viewLimits,
} as const;
