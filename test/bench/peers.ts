// The same input through a service and through readsb and dump1090, where they are installed, in turns. All write a file of all aircraft every second; with live
// traffic a service runs without files, too, because its users read HTTP. Nothing of the other programs enters the project.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianProgram, projectDir } from '../support/requirements.ts';
import { freePort, type RunningService, TestProgram } from '../support/service.ts';
import { until } from '../support/until.ts';
import { withFolder, withService } from './children.ts';
import { type Fed, fedService, fullInputs, fullSpeed, LIVE_S, liveInput, liveUse, SETTLE_S, WARM_UP_FRAMES } from './fed.ts';
import { type Bench, type Figure, median, numberText } from './harness.ts';

/** A program that is measured. */
interface Side {
  readonly name: string;
  readonly isPeer: boolean;
  /** Gives also the frames that the program has received in all. */
  run<T>(work: (fed: Fed) => Promise<T>): Promise<T & { readonly received: number }>;
}

function serviceSide(name: string, folder: string, flags: readonly string[], writesFiles: boolean): Side {
  const command = join(folder, 'infra/cli/squitter.sh');
  return {
    name,
    isPeer: false,
    run: (work) =>
      withFolder((json) => {
        const given = ['--no-simulation', ...flags, ...(writesFiles ? ['--write-json', json] : [])];
        const run = async (service: RunningService) => {
          const fed = fedService(service);
          return { ...(await work(fed)), received: await fed.frames() };
        };
        return withService(given, run, { command });
      }),
  };
}

/** `BEFORE`: the folder of another build, which runs in the same turns. */
function serviceSides({ withoutFiles }: { readonly withoutFiles: boolean }): Side[] {
  const { BEFORE } = process.env;
  const builds =
    BEFORE === undefined
      ? [['', projectDir] as const]
      : ([
          ['', projectDir],
          ['before-', BEFORE],
        ] as const);
  return builds.flatMap(([build, folder]) =>
    (withoutFiles ? [true, false] : [true]).flatMap((writesFiles) => {
      const files = writesFiles ? '' : '-no-files';
      return [
        serviceSide(`${build}history${files}`, folder, [], writesFiles),
        serviceSide(`${build}no-history${files}`, folder, ['--no-history'], writesFiles),
      ];
    }),
  );
}

const FIRST_FILE_MS_MAX = 10_000;

function peerSide(name: string, path: string, flags: readonly string[]): Side {
  return {
    name,
    isPeer: true,
    run: (work) =>
      withFolder(async (json) => {
        const port = await freePort();
        const unused = ['bo', 'ro', 'ri', 'sbs'].flatMap((kind) => [`--net-${kind}-port`, '0']);
        const net = ['--net', '--net-only', '--net-bi-port', String(port), ...unused, '--max-range', '0'];
        const program = new TestProgram([path, ...net, '--write-json', json, '--write-json-every', '1', '--quiet', '--stats', ...flags]);
        const file = join(json, 'aircraft.json');
        await until(() => existsSync(file), `the first file of ${name}`, FIRST_FILE_MS_MAX);
        const frames = async (): Promise<number> => Number(/"messages" : (\d+)/.exec(readFileSync(file, 'latin1'))?.[1]);
        const result = await work({ pid: program.child.pid!, port, frames });
        program.child.kill('SIGINT');
        await program.ended;
        // The statistics of the end count frames that it refused, too.
        return { ...result, received: Number(/(\d+) Mode S messages received/.exec(program.printed.stdout)?.[1]) };
      }),
  };
}

/** Programs on the PATH, or at the path that a variable has. */
function peerSides(): Side[] {
  const { READSB, DUMP1090 } = process.env;
  const programs = [
    // By default it discards input as long as more is waiting.
    { name: 'readsb', path: READSB ?? debianProgram('readsb').path, flags: ['--debug=d'] },
    { name: 'dump1090', path: DUMP1090 ?? debianProgram('dump1090-mutability', 'dump1090-mutability', 'dump1090').path, flags: [] },
  ];
  return programs.flatMap(({ name, path, flags }) => {
    if (path !== '') return [peerSide(name, path, flags)];
    process.stderr.write(`${name} is left out: it is not on the PATH, and ${name.toUpperCase()} is not the path of it\n`);
    return [];
  });
}

const UNITS = { cores: 'cores', memory: 'MB', rate: 'frames/CPU-s' } as const;
type Quantity = keyof typeof UNITS;

interface Measured {
  readonly values: Readonly<Partial<Record<Quantity, number>>>;
  readonly sent: number;
}

/** Medians of all turns: a figure for each service, peer and quantity. */
async function inTurns(
  turns: number,
  [name, what]: readonly [string, string],
  sides: readonly Side[],
  work: (fed: Fed) => Promise<Measured>,
): Promise<Figure[]> {
  const found = new Map(sides.map((side) => [side, [] as (Measured & { readonly received: number })[]]));
  for (let turn = 1; turn <= turns; turn += 1)
    for (const [side, results] of found) {
      const result = await side.run(work);
      results.push(result);
      const values = Object.entries(result.values).map(([quantity, value]) => `${numberText(value)} ${UNITS[quantity as Quantity]}`);
      process.stderr.write(`turn ${turn} of ${turns}, ${name}, ${side.name}: ${values.join(', ')}; ${receivedText(result)}\n`);
    }
  const all = [...found];
  return all
    .filter(([{ isPeer }]) => !isPeer)
    .flatMap(([own, results]) =>
      all
        .filter(([{ isPeer }]) => isPeer)
        .flatMap(([peer, peerResults]) =>
          (Object.keys(results[0]!.values) as Quantity[]).map((quantity) => {
            const [value, reference] = [results, peerResults].map((each) => median(each.map(({ values }) => values[quantity]!)));
            const received = `${own.name} ${receivedText(results[0]!)}, ${peer.name} ${receivedText(peerResults[0]!)}`;
            const input = `${what}, median of ${turns}: ${(value! / reference!).toFixed(2)} × ${peer.name}; ${received}`;
            return {
              name: `${name}-${quantity}-${own.name}-${peer.name}`,
              ...{ value: value!, reference: reference!, unit: UNITS[quantity], input },
              better: quantity === 'rate' ? 'more' : 'less',
            } as const;
          }),
        ),
    );
}

const receivedText = ({ sent, received }: { readonly sent: number; readonly received: number }): string =>
  received === sent ? `all of ${numberText(sent)} frames` : `${((100 * received) / sent).toFixed(1)} % of ${numberText(sent)} frames`;

const LIVE_AIRCRAFT = 15_000;

async function live(turns: number): Promise<Figure[]> {
  const input = liveInput(LIVE_AIRCRAFT);
  const rate = numberText(input.frames / (SETTLE_S + LIVE_S));
  const what = `${rate} frames/s of ${LIVE_AIRCRAFT} simulated aircraft over TCP, ${LIVE_S} s after ${SETTLE_S} s`;
  return await inTurns(turns, ['peers-live', what], [...serviceSides({ withoutFiles: true }), ...peerSides()], async (fed) => {
    const { cores, megabytes } = await liveUse(fed, input);
    return { values: { cores, memory: megabytes.reduce((sum, each) => sum + each, 0) }, sent: input.frames };
  });
}

async function full(turns: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, input] of Object.entries(fullInputs)) {
    const { what, pieces } = input();
    const how = `${what}, over TCP as Beast at full speed, after ${WARM_UP_FRAMES} frames of warm-up`;
    const sides = [...serviceSides({ withoutFiles: false }), ...peerSides()];
    const work = async (fed: Fed) => {
      const { rate, sent } = await fullSpeed(fed, pieces);
      return { values: { rate }, sent };
    };
    figures.push(...(await inTurns(turns, [`peers-${name}`, how], sides, work)));
  }
  return figures;
}

export const peersLiveBench: Bench = {
  name: 'peers-live',
  summary: 'cores and memory for live traffic of 15,000 aircraft, beside readsb and dump1090',
  run: live,
};

export const peersFullBench: Bench = {
  name: 'peers-full',
  summary: 'frames per CPU second over TCP, beside readsb and dump1090',
  run: full,
};

export const peersBench: Bench = {
  name: 'peers',
  summary: 'peers-live and peers-full',
  run: async (turns) => [...(await live(turns)), ...(await full(turns))],
};
