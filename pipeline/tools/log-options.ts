// Where a tool finds the log: in a data folder, or on Kafka. TLS and passwords come from the environment, as for the services.
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
import { type Address, type Environment, optionName, parseOptions } from '../runtime/options.ts';

const DATA_DIR = './data';

export const logOptions = {
  data: {
    flag: 'data',
    value: 'DIR',
    env: 'SQUITTER_DATA',
    help: `data folder of the embedded profile (${DATA_DIR} where no brokers are given)`,
    fallback: null as string | null,
  },
  brokers: { ...kafkaOptions.brokers, help: 'Kafka brokers, instead of a data folder' },
  registry: { ...registryOptions.registry, help: 'schema registry beside those brokers' },
} as const;

export interface LogPlace {
  readonly data: string | null;
  readonly brokers: readonly Address[];
  readonly registry: string | null;
}

/** A log and its codecs; close the log. Errors: those of `openData` and `openCluster`; `usage.*` where the place is not clear. */
export async function openLog(
  place: LogPlace,
  env: Environment,
  mode: 'read' | 'write',
): Promise<{ readonly log: EventLog; readonly codecs: Codecs }> {
  const { data, brokers, registry } = place;
  if (brokers.length === 0) return openData(data ?? DATA_DIR, mode);
  if (data !== null) throw contradiction('--data', data, `${optionName(kafkaOptions.brokers)} is given too`);
  if (registry === null) throw new SquitterError('usage.missing_argument', { argument: optionName(registryOptions.registry) });
  const { options } = parseOptions({ ...kafkaOptions, ...registryOptions }, [], env);
  const values = { ...options, brokers: [...brokers], registry };
  const [problem] = [...kafkaProblems(values), ...registryProblems(values)];
  if (problem !== undefined) throw problem;
  // Loaded when asked for: Kafka's client is large.
  const { openCluster } = await import('../log/open-cluster.ts');
  return openCluster({
    kafka: kafkaConnection(values, 'squitter-tool'),
    registry: registryAccess(values),
    namePrefix: values.kafkaPrefix,
    mode,
  });
}
