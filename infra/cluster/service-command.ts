// `squitter service NAME`: one service of the cluster profile as a process.
import type { Command } from '../../pipeline/runtime/command.ts';
import { optionsHelp } from '../../pipeline/runtime/options.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { type ServiceName, serviceNames, services } from './configuration.ts';
import { runServiceProcess, type ServiceDefinition } from './service-process.ts';

/** Loaded on demand: a fold needs no web server. */
const definitions: { readonly [Name in ServiceName]: () => Promise<ServiceDefinition<Name>> } = {
  ingest: async () => (await import('./ingest-definition.ts')).ingestDefinition,
  fold: async () => (await import('./stage-definitions.ts')).foldDefinition,
  flights: async () => (await import('./stage-definitions.ts')).flightsDefinition,
  project: async () => (await import('./project-definition.ts')).projectDefinition,
  export: async () => (await import('./export-definition.ts')).exportDefinition,
  'query-api': async () => (await import('./query-api-definition.ts')).queryApiDefinition,
  push: async () => (await import('./push-definition.ts')).pushDefinition,
};

export const serviceCommand: Command = {
  name: 'service',
  summary: 'one service of the cluster profile, on Kafka',
  words: 'NAME',
  wordsMax: Number.POSITIVE_INFINITY,
  details: [
    ...serviceNames.map((name) => `  ${name.padEnd(11)}${services[name].summary}`),
    '',
    '`squitter service NAME --help` shows the flags and variables of a service. Stop it with SIGTERM: it drains within 18 s.',
  ].join('\n'),
  examples: ['squitter service fold --brokers kafka-1:9092 --registry http://registry:8080/apis/ccompat/v7'],
  options: {},
  takesOtherFlags: true,
  helpOf([word]) {
    const name = serviceNames.find((known) => known === word);
    if (name === undefined) return null;
    const { summary, options } = services[name];
    return `squitter service ${name}: ${summary}\n\nFlags and variables:\n${optionsHelp(options)}\n`;
  },
  async run({ words: [word, ...argv], env, stderr, signal }) {
    if (word === undefined) throw new SquitterError('usage.missing_argument', { argument: 'NAME' });
    const name = serviceNames.find((known) => known === word);
    if (name === undefined)
      throw new SquitterError('usage.bad_value', { flag: 'NAME', value: word, detail: `expected one of ${serviceNames.join(', ')}` });
    return await runServiceProcess((await definitions[name]()) as ServiceDefinition<ServiceName>, { argv, env, stderr, signal });
  },
};
