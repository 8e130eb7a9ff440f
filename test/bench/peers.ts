// The same input through a service and through readsb and dump1090, where they are installed, in turns. Each writes a file of all aircraft every second. They are
// peers as programs only: nothing of them enters the project.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianProgram } from '../support/requirements.ts';
import { freePort, TestProgram } from '../support/service.ts';
import { until } from '../support/until.ts';
import { sum, withFolder, withService } from './children.ts';
import { type Fed, fedService, fullInputs, fullSpeed, liveInput, liveUse, usedInAll } from './fed.ts';
import { type Bench, type Figure, median, numberText } from './harness.ts';

/** The measured values, and the frames that were sent. */
type Work = (fed: Fed) => Promise<{ readonly values: readonly number[]; readonly sent: number }>;
/** Runs a program with a folder for its files; gives the values, and the share of the frames that it received. */
type Side = (json: string, work: Work) => Promise<readonly number[]>;

const serviceSide =
  (...flags: readonly string[]): Side =>
  (json, work) =>
    withService(['--no-simulation', '--write-json', json, ...flags], async (service) => {
      const { values, sent } = await work(fedService(service));
      return [...values, (await usedInAll(fedService(service))).frames / sent];
    });

const peerSide =
  (path: string, ...flags: readonly string[]): Side =>
  async (json, work) => {
    const port = await freePort();
    const ports = ['bo', 'ro', 'ri', 'sbs'].flatMap((unused) => [`--net-${unused}-port`, '0']);
    const net = ['--net', '--net-only', '--net-bi-port', String(port), ...ports, '--max-range', '0'];
    const program = new TestProgram([path, ...net, '--write-json', json, '--write-json-every', '1', '--quiet', '--stats', ...flags]);
    const file = join(json, 'aircraft.json');
    await until(() => existsSync(file));
    const frames = async (): Promise<number> => Number(/"messages" : (\d+)/.exec(readFileSync(file, 'latin1'))?.[1]);
    const { values, sent } = await work({ pid: program.child.pid!, port, frames });
    program.child.kill('SIGINT');
    await program.ended;
    // The statistics at the end count what it refused, too.
    return [...values, Number(/(\d+) Mode S messages received/.exec(program.printed.stdout)?.[1]) / sent];
  };

/** Programs on the PATH, or where READSB and DUMP1090 say. */
function peers(): [string, Side][] {
  const { READSB, DUMP1090 } = process.env;
  return [
    // By default readsb discards input that it cannot follow.
    { name: 'readsb', path: READSB ?? debianProgram('readsb').path, flags: ['--debug=d'] },
    { name: 'dump1090', path: DUMP1090 ?? debianProgram('dump1090-mutability', 'dump1090-mutability', 'dump1090').path, flags: [] },
  ].flatMap(({ name, path, flags }): [string, Side][] => {
    if (path !== '') return [[name, peerSide(path, ...flags)]];
    process.stderr.write(`${name} is left out: it is not on the PATH, and ${name.toUpperCase()} has no path\n`);
    return [];
  });
}

interface Turns {
  readonly turns: number;
  readonly others: readonly [string, Side][];
}

const UNITS = { cores: 'cores', memory: 'MB', rate: 'frames/CPU-s' } as const;

/** Medians of all turns: a figure for each service, peer and quantity. */
async function inTurns(
  { turns, others }: Turns,
  name: string,
  what: string,
  quantities: readonly (keyof typeof UNITS)[],
  work: Work,
): Promise<Figure[]> {
  const services: [string, Side][] = [
    ['history', serviceSide()],
    ['no-history', serviceSide('--no-history')],
  ];
  const found = new Map<Side, (readonly number[])[]>();
  for (let turn = 1; turn <= turns; turn += 1)
    for (const [sideName, side] of [...services, ...others]) {
      const values = await withFolder((json) => side(json, work));
      found.set(side, [...(found.get(side) ?? []), values]);
      const text = quantities.map((quantity, i) => `${numberText(values[i]!)} ${UNITS[quantity]}`).join(', ');
      process.stderr.write(`${name}, turn ${turn} of ${turns}, ${sideName}: ${text}, ${shareText(values.at(-1)!)}\n`);
    }
  const medianOf = (side: Side, i: number): number => median(found.get(side)!.map((values) => values.at(i)!));
  return others.flatMap(([otherName, other]) =>
    services.flatMap(([ownName, own]) =>
      quantities.map((quantity, i): Figure => {
        const [value, reference] = [medianOf(own, i), medianOf(other, i)];
        const received = `${shareText(medianOf(own, -1))}, ${otherName} ${shareText(medianOf(other, -1))}`;
        const input = `${what}, median of ${turns}: ${(value / reference).toFixed(2)} × ${otherName}; ${received}`;
        const better = quantity === 'rate' ? 'more' : 'less';
        return { name: `peers-${name}-${quantity}-${ownName}-${otherName}`, value, unit: UNITS[quantity], reference, better, input };
      }),
    ),
  );
}

const shareText = (share: number): string => `${(100 * share).toFixed(2)} % of the frames received`;

async function live(turns: Turns, aircraft: number): Promise<Figure[]> {
  const { what, pieces, sent } = liveInput(aircraft);
  return await inTurns(turns, `live-${aircraft}`, what, ['cores', 'memory'], async (fed) => {
    const { cores, megabytes } = await liveUse(fed, pieces);
    return { values: [cores, sum(megabytes)], sent };
  });
}

export const peersBench: Bench = {
  name: 'peers',
  summary: 'live traffic of 500 and 15,000 aircraft, and frames at full speed, beside readsb and dump1090',
  async run(number) {
    const turns = { turns: number, others: peers() };
    if (turns.others.length === 0) return [];
    const figures = [...(await live(turns, 500)), ...(await live(turns, 15_000))];
    for (const { name, what, pieces } of fullInputs) {
      const all = pieces();
      const work: Work = async (fed) => {
        const { rate, sent } = await fullSpeed(fed, all);
        return { values: [rate], sent };
      };
      figures.push(...(await inTurns(turns, name, what, ['rate'], work)));
    }
    return figures;
  },
};
