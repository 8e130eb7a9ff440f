// Connection options for Kafka and the schema registry, shared by all services and tools of the cluster profile, and their checks.
import { accessSync, constants } from 'node:fs';
import { SquitterError } from '../../schemas/errors.ts';
import {
  type Endpoint,
  type OptionValues,
  oneOf,
  optionName,
  parseEndpoint,
  parseHttpUrl,
  secretOption,
  shownValue,
  textOption,
} from '../runtime/options.ts';
import type { ConfluentRegistryOptions } from './kafka/confluent-registry.ts';
import type { KafkaConnection } from './kafka/connection.ts';

const saslMechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
type SaslMechanism = (typeof saslMechanisms)[number];

export const kafkaOptions = {
  brokers: {
    ...textOption('brokers', 'HOST:PORT', 'Kafka bootstrap brokers; the others are discovered from them'),
    env: 'SQUITTER_KAFKA_BROKERS',
    repeatable: true,
    fallback: [] as Endpoint[],
    parse: parseEndpoint,
  },
  kafkaTls: { flag: 'kafka-tls', env: 'SQUITTER_KAFKA_TLS', help: 'use TLS for Kafka', fallback: false as boolean },
  kafkaCaFile: textOption('kafka-ca-file', 'FILE', "PEM file of CA certificates for Kafka, instead of the system's"),
  kafkaCertFile: textOption('kafka-cert-file', 'FILE', 'PEM file of the client certificate for Kafka'),
  kafkaKeyFile: textOption('kafka-key-file', 'FILE', 'PEM file of the private key of that certificate'),
  kafkaSasl: {
    ...textOption('kafka-sasl', 'MECHANISM', `SASL mechanism for Kafka: ${saslMechanisms.join(', ')}`),
    fallback: null as SaslMechanism | null,
    parse: (text: string) => oneOf(saslMechanisms)(text.toLowerCase()),
  },
  kafkaUsername: textOption('kafka-username', 'NAME', 'user name for Kafka'),
  kafkaPassword: secretOption('SQUITTER_KAFKA_PASSWORD', 'password for Kafka'),
  kafkaPrefix: {
    ...textOption('kafka-prefix', 'TEXT', 'prefix of topic names, groups and transactional ids, for several installations on one Kafka'),
    fallback: '',
    parse: parsePrefix,
  },
} as const;

export const registryOptions = {
  registry: {
    ...textOption('registry', 'URL', "schema registry: base URL of Confluent's API"),
    env: 'SQUITTER_REGISTRY_URL',
    parse: parseHttpUrl,
  },
  registryUsername: textOption('registry-username', 'NAME', 'user name for the schema registry'),
  registryPassword: secretOption('SQUITTER_REGISTRY_PASSWORD', 'password for the schema registry'),
  registryCaFile: textOption('registry-ca-file', 'FILE', "PEM file of CA certificates for the schema registry, instead of the system's"),
} as const;

function parsePrefix(text: string): string {
  if (!/^[\w.-]{0,50}$/.test(text)) throw new Error('expected up to 50 letters, digits, dots, dashes and underscores');
  return text;
}

export type KafkaValues = OptionValues<typeof kafkaOptions>;
export type RegistryValues = OptionValues<typeof registryOptions>;

/** Contradictions between these values, and files that cannot be read. */
export function kafkaProblems(values: KafkaValues): SquitterError[] {
  const { kafkaCaFile, kafkaCertFile, kafkaKeyFile, kafkaSasl, kafkaUsername, kafkaPassword } = values;
  const files = { kafkaCaFile, kafkaCertFile, kafkaKeyFile };
  const problems: SquitterError[] = [];
  for (const [name, file] of Object.entries(files)) {
    if (file === null) continue;
    const { env } = kafkaOptions[name as keyof typeof files];
    if (!values.kafkaTls) problems.push(contradiction(env, file, `the option has no effect without ${kafkaOptions.kafkaTls.env}`));
    else problems.push(...unreadable(env, file));
  }
  if ((kafkaCertFile === null) !== (kafkaKeyFile === null)) {
    const missing = kafkaCertFile === null ? kafkaOptions.kafkaCertFile : kafkaOptions.kafkaKeyFile;
    problems.push(new SquitterError('usage.missing_argument', { argument: optionName(missing) }));
  }
  for (const [option, value] of [
    [kafkaOptions.kafkaUsername, kafkaUsername],
    [kafkaOptions.kafkaPassword, kafkaPassword],
  ] as const) {
    if (kafkaSasl !== null && value === null) problems.push(new SquitterError('usage.missing_argument', { argument: optionName(option) }));
    if (kafkaSasl === null && value !== null)
      problems.push(contradiction(option.env, shownValue(option, value), `the option has no effect without ${kafkaOptions.kafkaSasl.env}`));
  }
  return problems;
}

export function registryProblems({ registry, registryUsername, registryPassword, registryCaFile }: RegistryValues): SquitterError[] {
  const problems: SquitterError[] = [];
  if ((registryUsername === null) !== (registryPassword === null)) {
    const missing = registryUsername === null ? registryOptions.registryUsername : registryOptions.registryPassword;
    problems.push(new SquitterError('usage.missing_argument', { argument: optionName(missing) }));
  }
  if (registryCaFile === null) return problems;
  const { env } = registryOptions.registryCaFile;
  if (registry?.startsWith('https:') === true) problems.push(...unreadable(env, registryCaFile));
  else problems.push(contradiction(env, registryCaFile, 'the registry has no https URL'));
  return problems;
}

export function contradiction(flag: string, value: string, detail: string): SquitterError {
  return new SquitterError('usage.bad_value', { flag, value, detail });
}

/** A problem if a file cannot be read. */
export function unreadable(flag: string, file: string): SquitterError[] {
  try {
    accessSync(file, constants.R_OK);
    return [];
  } catch (error) {
    return [contradiction(flag, file, (error as Error).message)];
  }
}

/** The Kafka connection for valid values. */
export function kafkaConnection(values: KafkaValues, clientId: string): KafkaConnection {
  const { brokers, kafkaTls, kafkaCaFile, kafkaCertFile, kafkaKeyFile, kafkaSasl, kafkaUsername, kafkaPassword } = values;
  const tls = {
    ...(kafkaCaFile === null ? {} : { caFile: kafkaCaFile }),
    ...(kafkaCertFile === null ? {} : { certFile: kafkaCertFile }),
    ...(kafkaKeyFile === null ? {} : { keyFile: kafkaKeyFile }),
  };
  return {
    brokers: brokers.map(String),
    clientId,
    ...(kafkaTls ? { tls } : {}),
    ...(kafkaSasl === null ? {} : { sasl: { mechanism: kafkaSasl, username: kafkaUsername ?? '', password: kafkaPassword ?? '' } }),
  };
}

/** The schema registry for valid values. */
export function registryAccess({ registry, registryUsername, registryPassword, registryCaFile }: RegistryValues): ConfluentRegistryOptions {
  return {
    url: registry ?? '',
    ...(registryUsername === null ? {} : { username: registryUsername, password: registryPassword ?? '' }),
    ...(registryCaFile === null ? {} : { tls: { caFile: registryCaFile } }),
  };
}
