// Location of the log for the tools: a data folder, or Kafka. TLS settings and passwords come from the environment, as for the services.
import { SquitterError } from '../../schemas/errors.ts';
import {
  contradiction,
  kafkaConnection,
  kafkaOptions,
  kafkaProblems,
  registryAccess,
  registryOptions,
  registryProblems,
} from '../log/cluster-options.ts';
import type { Codecs } from '../log/codec.ts';
import type { EventLog } from '../log/event-log.ts';
import { openData } from '../log/open-data.ts';
import { type Endpoint, type Environment, optionName, parseOptions, textOption } from '../runtime/options.ts';

export const DATA_DIR = './data';

export const logOptions = {
  data: textOption('data', 'DIR', `data folder of the embedded profile (${DATA_DIR} if no brokers are given)`),
  brokers: { ...kafkaOptions.brokers, help: 'Kafka brokers, instead of a data folder' },
  registry: { ...registryOptions.registry, help: 'schema registry of those brokers' },
} as const;

export const secretFileOption = textOption(
  'secret-file',
  'FILE',
  'with --brokers: secret of that installation, with which ids of feeders and receivers are made',
);

/** Error: `usage.missing_argument`. */
export function secretFileOf(secretFile: string | null): string {
  if (secretFile === null) throw new SquitterError('usage.missing_argument', { argument: optionName(secretFileOption) });
  return secretFile;
}

export interface LogLocation {
  readonly data: string | null;
  readonly brokers: readonly Endpoint[];
  readonly registry: string | null;
}

/**
 * A log and its codecs; the caller closes the log. Errors: those of `openData` and `openCluster`; `usage.*` when the location is ambiguous.
 */
export async function openLog(
  location: LogLocation,
  env: Environment,
  mode: 'read' | 'write',
): Promise<{ readonly log: EventLog; readonly codecs: Codecs }> {
  const { data, brokers, registry } = location;
  if (brokers.length === 0) return openData(data ?? DATA_DIR, mode);
  if (data !== null) throw contradiction('--data', data, `${optionName(kafkaOptions.brokers)} is also given`);
  if (registry === null) throw new SquitterError('usage.missing_argument', { argument: optionName(registryOptions.registry) });
  const { options } = parseOptions({ ...kafkaOptions, ...registryOptions }, [], env);
  const values = { ...options, brokers: [...brokers], registry };
  const [problem] = [...kafkaProblems(values), ...registryProblems(values)];
  if (problem !== undefined) throw problem;
  // Imported on demand: the Kafka client is large.
  const { openCluster } = await import('../log/open-cluster.ts');
  return openCluster({
    kafka: kafkaConnection(values, 'squitter-tool'),
    registry: registryAccess(values),
    namePrefix: values.kafkaPrefix,
    mode,
  });
}
