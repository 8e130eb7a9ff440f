// Connection options for Kafka and the schema registry, shared by all services and tools of the cluster profile, and their checks.
import { accessSync, constants } from 'node:fs';
import { SquitterError } from '../../schemas/errors.ts';
import { type Endpoint, type OptionValues, optionName, parseEndpoint, parseHttpUrl, shownValue } from '../runtime/options.ts';
import type { ConfluentRegistryOptions } from './kafka/confluent-registry.ts';
import type { KafkaConnection } from './kafka/connection.ts';

const saslMechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
type SaslMechanism = (typeof saslMechanisms)[number];

export const kafkaOptions = {
  brokers: {
    flag: 'brokers',
    value: 'HOST:PORT',
    env: 'SQUITTER_KAFKA_BROKERS',
    repeatable: true,
    help: 'Kafka bootstrap brokers; the others are discovered from them',
    fallback: [] as Endpoint[],
    parse: parseEndpoint,
  },
  kafkaTls: { flag: 'kafka-tls', env: 'SQUITTER_KAFKA_TLS', help: 'use TLS for Kafka', fallback: false as boolean },
  kafkaCaFile: {
    flag: 'kafka-ca-file',
    value: 'FILE',
    env: 'SQUITTER_KAFKA_CA_FILE',
    help: "PEM file of CA certificates for Kafka, instead of the system's",
    fallback: null as string | null,
  },
  kafkaCertFile: {
    flag: 'kafka-cert-file',
    value: 'FILE',
    env: 'SQUITTER_KAFKA_CERT_FILE',
    help: 'PEM file of the client certificate for Kafka',
    fallback: null as string | null,
  },
  kafkaKeyFile: {
    flag: 'kafka-key-file',
    value: 'FILE',
    env: 'SQUITTER_KAFKA_KEY_FILE',
    help: 'PEM file of the private key of that certificate',
    fallback: null as string | null,
  },
  kafkaSasl: {
    flag: 'kafka-sasl',
    value: 'MECHANISM',
    env: 'SQUITTER_KAFKA_SASL',
    help: `SASL mechanism for Kafka: ${saslMechanisms.join(', ')}`,
    fallback: null as SaslMechanism | null,
    parse: parseMechanism,
  },
  kafkaUsername: {
    flag: 'kafka-username',
    value: 'NAME',
    env: 'SQUITTER_KAFKA_USERNAME',
    help: 'user name for Kafka',
    fallback: null as string | null,
  },
  kafkaPassword: {
    value: 'SECRET',
    env: 'SQUITTER_KAFKA_PASSWORD',
    secret: true,
    help: 'password for Kafka',
    fallback: null as string | null,
  },
  kafkaPrefix: {
    flag: 'kafka-prefix',
    value: 'TEXT',
    env: 'SQUITTER_KAFKA_PREFIX',
    help: 'prefix of topic names, groups and transactional ids, for several installations on one Kafka',
    fallback: '',
    parse: parsePrefix,
  },
} as const;

export const registryOptions = {
  registry: {
    flag: 'registry',
    value: 'URL',
    env: 'SQUITTER_REGISTRY_URL',
    help: "schema registry: base URL of Confluent's API",
    fallback: null as string | null,
    parse: parseHttpUrl,
  },
  registryUsername: {
    flag: 'registry-username',
    value: 'NAME',
    env: 'SQUITTER_REGISTRY_USERNAME',
    help: 'user name for the schema registry',
    fallback: null as string | null,
  },
  registryPassword: {
    value: 'SECRET',
    env: 'SQUITTER_REGISTRY_PASSWORD',
    secret: true,
    help: 'password for the schema registry',
    fallback: null as string | null,
  },
  registryCaFile: {
    flag: 'registry-ca-file',
    value: 'FILE',
    env: 'SQUITTER_REGISTRY_CA_FILE',
    help: "PEM file of CA certificates for the schema registry, instead of the system's",
    fallback: null as string | null,
  },
} as const;

function parsePrefix(text: string): string {
  if (!/^[\w.-]{0,50}$/.test(text)) throw new Error('expected up to 50 letters, digits, dots, dashes and underscores');
  return text;
}

function parseMechanism(text: string): SaslMechanism {
  const found = saslMechanisms.find((mechanism) => mechanism === text.toLowerCase());
  if (found === undefined) throw new Error(`expected one of ${saslMechanisms.join(', ')}`);
  return found;
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
