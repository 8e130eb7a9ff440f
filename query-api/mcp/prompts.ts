// Prompts: common questions, which a person picks from a list.
import { limits } from '../../schemas/limits/index.ts';
import { INVALID_PARAMS, RpcError } from './rpc-error.ts';

interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: { readonly name: string; readonly description: string; readonly required: boolean }[];
  /** The question, with the arguments in it. */
  readonly text: (given: Readonly<Record<string, string>>) => string;
  /** A resource that belongs to the question. */
  readonly resource?: (given: Readonly<Record<string, string>>) => string;
}

const prompts: readonly Prompt[] = [
  {
    name: 'overhead',
    title: 'What flies over a position?',
    description: 'Aircraft near coordinates, in words.',
    arguments: [
      { name: 'lat', description: 'latitude, degrees', required: true },
      { name: 'lon', description: 'longitude, degrees', required: true },
      { name: 'radius_nm', description: 'radius, nautical miles; 10 without it', required: false },
    ],
    text: ({ lat, lon, radius_nm = '10' }) =>
      `What flies within ${radius_nm} nm of ${lat}, ${lon} now? Use nearby_aircraft. Say for each aircraft what it is, where it comes from and goes to, how high it is, how far away and in which direction.`,
  },
  {
    name: 'aircraft',
    title: 'Where is an aircraft?',
    description: 'One aircraft by its address: where it is, what it does, where it goes.',
    arguments: [{ name: 'hex', description: 'ICAO 24-bit address, 6 hex digits', required: true }],
    text: ({ hex }) =>
      `Where is the aircraft ${hex} now, what does it do, and where does it go? Use get_aircraft. If no receiver hears it, say so; that does not mean that it does not fly.`,
  },
  {
    name: 'airport',
    title: 'What happens at an airport?',
    description: 'Arrivals and departures of an airport, in words. The board comes with the prompt.',
    arguments: [{ name: 'code', description: 'ICAO, IATA or local code', required: true }],
    text: ({ code }) =>
      `What happens at ${code} now? Sum up the arrivals and departures of this board: how many there are, which come next, and what stands out. Flights whose route is not known are not on it.`,
    resource: ({ code = '' }) => `squitter://airport/${encodeURIComponent(code)}`,
  },
  {
    name: 'network',
    title: 'How is the network?',
    description: 'How many aircraft are heard, and how old the data are.',
    arguments: [],
    text: () => 'How many aircraft does the network hear now, and how old are the data? Use network_stats.',
  },
];

/** The list as the protocol has it. */
export const promptList = prompts.map(({ text: _, resource: __, ...prompt }) => prompt);

/** A prompt with its arguments. `resource` is to be read and added. Error: `RpcError`. */
export function preparePrompt(name: string, given: Readonly<Record<string, string>>) {
  const prompt = prompts.find((each) => each.name === name);
  if (prompt === undefined) throw new RpcError(INVALID_PARAMS, `there is no prompt ${name.slice(0, limits.toolArgumentCharactersMax)}`);
  for (const argument of prompt.arguments) {
    const value = given[argument.name];
    if (value === undefined && argument.required) throw new RpcError(INVALID_PARAMS, `the argument ${argument.name} is missing`);
    if (value !== undefined && value.length > limits.toolArgumentCharactersMax)
      throw new RpcError(INVALID_PARAMS, `the argument ${argument.name} is longer than ${limits.toolArgumentCharactersMax} characters`);
  }
  return { description: prompt.description, text: prompt.text(given), resource: prompt.resource?.(given) ?? null };
}
