// `squitter config`: the configuration of the services of the cluster profile, its problems, and whether Kafka, registry and Redis can be reached.
import { defineCommand, EXIT_DONE, EXIT_FAILED } from '../../pipeline/runtime/command.ts';
import {
  type Environment,
  type OptionTable,
  type OptionValues,
  optionName,
  readOptions,
  shownValue,
} from '../../pipeline/runtime/options.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { unknownVariableProblems, unknownVariables } from '../services/options/shared-options.ts';
import { problemsOf, type ServiceName, serviceNames, services, serviceTables } from './configuration.ts';
import { configurationDocument } from './configuration-document.ts';
import type { Attempt, ClusterValues } from './try-connections.ts';

export const configCommand = defineCommand({
  name: 'config',
  summary: 'check or document the configuration of the cluster profile',
  words: 'check [SERVICE] | docs',
  wordsMin: 1,
  wordsMax: Number.POSITIVE_INFINITY,
  details: [
    `Services: ${serviceNames.join(', ')}. Without a service, all are checked with the environment alone. A service may be followed by its flags.`,
    'Prints a line per option with its variable, value (secrets as asterisks) and source, then a line per problem. The exit status is 1 if there are problems.',
    '`docs` prints the tables of all options as Markdown.',
  ].join('\n'),
  examples: ['squitter config check', 'squitter config check fold --brokers kafka-1:9092 --connect', 'squitter config docs'],
  options: {
    connect: { flag: 'connect', help: 'also try to connect to Kafka, the registry and Redis', fallback: false as boolean },
  },
  takesOtherFlags: true,
  async run({ options, words, env, stdout }) {
    const [what, ...others] = words;
    if (what === 'docs' && others.length === 0) {
      stdout.write(configurationDocument());
      return EXIT_DONE;
    }
    if (what !== 'check') throw new SquitterError('usage.unknown_word', { word: words.join(' '), command: 'config' });
    const { names, flags } = servicesOf(others);
    const checks = names.map((name) => checkService(name, flags, env));
    for (const { text } of checks) stdout.write(text);
    let problems = checks.reduce((sum, check) => sum + check.problems, 0);
    for (const { message } of unknownVariableProblems(unknownVariables(Object.keys(env), serviceTables))) {
      stdout.write(`wrong: ${message}\n`);
      problems += 1;
    }
    if (options.connect) {
      for (const { subject, problem, found } of await attemptsOf(checks)) {
        stdout.write(problem === null ? `reached: ${subject}: ${found}\n` : `not reached: ${subject}: ${problem}\n`);
        if (problem !== null) problems += 1;
      }
    }
    stdout.write(problems === 0 ? 'config: no problems\n' : `config: ${problems} ${problems === 1 ? 'problem' : 'problems'}\n`);
    return problems === 0 ? EXIT_DONE : EXIT_FAILED;
  },
});

/** `fold --brokers a:1` → the service and its flags; nothing → all services. */
function servicesOf(words: readonly string[]): { names: readonly ServiceName[]; flags: readonly string[] } {
  const [first, ...flags] = words;
  if (first === undefined) return { names: serviceNames, flags: [] };
  const name = serviceNames.find((service) => service === first);
  if (name === undefined) {
    if (first.startsWith('--')) throw new SquitterError('usage.unknown_flag', { flag: first.split('=')[0]! });
    throw new SquitterError('usage.bad_value', { flag: 'SERVICE', value: first, detail: `expected one of ${serviceNames.join(', ')}` });
  }
  return { names: [name], flags };
}

interface ServiceCheck {
  readonly name: ServiceName;
  readonly text: string;
  readonly problems: number;
  /** Values for connecting; null if they have problems. */
  readonly values: ClusterValues | null;
}

function checkService(name: ServiceName, flags: readonly string[], env: Environment): ServiceCheck {
  const { summary, options: table } = services[name];
  const { options, origins, words, problems: badValues } = readOptions(table as OptionTable, flags, env);
  for (const problem of badValues) if (problem.code === 'usage.unknown_flag') throw problem;
  if (words.length > 0) throw new SquitterError('usage.unknown_word', { word: words[0]!, command: 'config check' });
  const problems = [...badValues, ...problemsOf(options as OptionValues<(typeof services)[ServiceName]['options']>)];
  const rows = Object.entries(table).map(([key, option]) => {
    const shown = shownValue(option, options[key]);
    return [
      option.env ?? optionName(option),
      shown === '' ? '-' : shown,
      origins[key] === option.env ? 'environment' : origins[key]!,
    ] as const;
  });
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = [
    `${name}: ${summary}`,
    ...rows.map(([option, value, origin]) => `  ${option.padEnd(widths[0]!)}  ${value.padEnd(widths[1]!)}  ${origin}`),
    ...problems.map(({ message }) => `wrong: ${message}`),
    '',
  ];
  return { name, text: lines.join('\n'), problems: problems.length, values: problems.length === 0 ? (options as ClusterValues) : null };
}

/** Tries each endpoint once, even if several services name it. */
async function attemptsOf(checks: readonly ServiceCheck[]): Promise<Attempt[]> {
  // Loaded on demand: the clients of Kafka and Redis are large.
  const { tryConnections } = await import('./try-connections.ts');
  const attempts = new Map<string, Attempt>();
  for (const { values } of checks) {
    if (values === null) continue;
    for (const attempt of await tryConnections(values, (subject) => attempts.has(subject))) attempts.set(attempt.subject, attempt);
  }
  return [...attempts.values()];
}
