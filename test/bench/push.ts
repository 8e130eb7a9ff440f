// Push with thousands of subscribers, server and readers in separate processes: the world, zones, filters, idle connections, and large frames.
import { existsSync } from 'node:fs';
import { limits } from '../../schemas/limits.ts';
import { type Bench, costFigure, type Figure } from './harness.ts';
import type { Reader } from './push/readers.ts';
import type { LocatedPoint, ServerKind } from './push/server.ts';
import { inTurn, loadText, type Measured, PushStand, type Round, spread } from './push/stand.ts';

const ROUNDS = 15;
const REFERENCE_ROUNDS = 3;
/** Their deltas as JSON are about 30 KB a second. */
const WORLD_AIRCRAFT = 290;
const BUSY_AIRCRAFT = 16_000;
const adapters = ['uws', 'ws'] as const;

const byAdapter = <T>(make: (prefer: (typeof adapters)[number]) => T): T[] => adapters.map(make);
const us = (value: number): string => `${value.toFixed(0)} µs`;
const megabytes = (bytes: number): number => bytes / 1e6;

/** Starts the stands, connects their readers, measures them in turn and stops them. */
async function measured(
  kinds: readonly ServerKind[],
  readersOf: (kind: ServerKind, points: readonly LocatedPoint[]) => readonly Reader[],
  rounds = ROUNDS,
): Promise<Measured[]> {
  const stands: PushStand[] = [];
  try {
    for (const kind of kinds) {
      const stand = await PushStand.start(kind);
      stands.push(stand);
      await stand.connect(readersOf(kind, stand.points));
    }
    return await inTurn(stands, rounds);
  } finally {
    for (const stand of stands) await stand.stop();
  }
}

function repeated(reader: Reader, subscribers: number): Reader[] {
  return Array<Reader>(subscribers).fill(reader);
}

function summary({ name, rounds, peakBytes, connectionBytes, connectMs, subscribers }: Measured): string {
  const of = (read: (round: Round) => number, digits = 0): string => spread(rounds.map(read), digits).text;
  return (
    `${name}: last byte ${of(({ lastMs }) => lastMs)} ms, half of them ${of(({ p50Ms }) => p50Ms)} ms, hub ${of(({ hubMs }) => hubMs)} ms, ` +
    `CPU per delivery ${of(({ cpuUs }) => cpuUs, 1)} µs, readers ${of(({ readersCpuUs }) => readersCpuUs, 1)} µs, ${of(({ bytes }) => bytes / 1000)} KB of frames, ${of(({ deliveredBytes }) => deliveredBytes / 1000, 1)} KB to each, ` +
    `RSS at most ${megabytes(peakBytes).toFixed(0)} MB, ${(connectionBytes / 1000).toFixed(1)} KB per connection, ${subscribers} connected in ${(connectMs / 1000).toFixed(1)} s`
  );
}

function medianOf(measured: Measured, read: (round: Round) => number): number {
  return spread(measured.rounds.map(read)).median;
}

function figures(name: string, own: readonly Measured[], reference: Measured, input: string): Figure[] {
  const load = loadText();
  return own.flatMap((one, i) => {
    const label = `${name}-${adapters[i]!}`;
    const text = `${input}, ${one.rounds.length} ticks, ${load}; ${summary(one)}; reference: ${summary(reference)}`;
    return [
      costFigure(
        label,
        'ms',
        medianOf(one, ({ lastMs }) => lastMs),
        medianOf(reference, ({ lastMs }) => lastMs),
        text,
      ),
      costFigure(
        `${label}-cpu`,
        'µs/delivery',
        medianOf(one, ({ cpuUs }) => cpuUs),
        medianOf(reference, ({ cpuUs }) => cpuUs),
        `${us(medianOf(one, ({ readersCpuUs }) => readersCpuUs))} of the readers' process are not counted`,
      ),
      costFigure(
        `${label}-rss`,
        'MB',
        megabytes(one.peakBytes),
        megabytes(reference.peakBytes),
        'the most during the ticks, with the simulation that makes the input',
      ),
    ];
  });
}

/** JSON deltas of the world to everybody. */
export function pushWorldBench(subscribers: number): Bench {
  return {
    name: `push-world-${subscribers}`,
    summary: `world deltas of ${WORLD_AIRCRAFT} aircraft, about 30 KB, to ${subscribers} subscribers`,
    async run() {
      const aircraft = WORLD_AIRCRAFT;
      const program = process.env['SQUITTER_BENCH_CENTRIFUGE'];
      const hasCentrifuge = program !== undefined && existsSync(program);
      if (!hasCentrifuge) process.stderr.write('centrifuge is left out: SQUITTER_BENCH_CENTRIFUGE names no program\n');
      const kinds: ServerKind[] = [
        ...byAdapter((prefer): ServerKind => ({ kind: 'hub', prefer, aircraft })),
        { kind: 'plain', mode: 'stringify', aircraft },
        { kind: 'plain', mode: 'shared', aircraft },
        ...(hasCentrifuge ? [{ kind: 'centrifuge', program, aircraft } as const] : []),
      ];
      const found = await measured(kinds, ({ kind }) =>
        repeated(
          kind === 'hub' ? { path: '/ws/' } : kind === 'centrifuge' ? { path: '/ws', first: '{"id":1,"connect":{}}' } : { path: '/' },
          subscribers,
        ),
      );
      const [stringify, shared, centrifuge] = found.slice(2) as [Measured, Measured, Measured?];
      const input = `JSON deltas of ${aircraft} aircraft to ${subscribers} subscribers; also on the same frames: ${summary(shared)}; ${centrifuge === undefined ? 'centrifuge left out' : summary(centrifuge)}`;
      return figures(this.name, found.slice(0, 2), stringify, input);
    },
  };
}

/** Binary deltas of 15,000 aircraft to everybody. */
export function pushBusyBench(subscribers: number): Bench {
  return {
    name: `push-binary-world-${subscribers}`,
    summary: `binary world deltas of 15,000 aircraft to ${subscribers} subscribers`,
    async run() {
      const kinds = byAdapter((prefer): ServerKind => ({ kind: 'hub', prefer, aircraft: BUSY_AIRCRAFT }));
      const found = await measured(kinds, () =>
        repeated({ path: '/ws/', protocol: 'aircraft.v2.bin', first: '{"type":"subscribe"}' }, subscribers),
      );
      const input = `binary deltas of about 15,000 aircraft to ${subscribers} subscribers; reference: the same through ws`;
      return figures(this.name, found.slice(0, 1), found[1]!, input);
    },
  };
}

/** Each subscriber in the 10-degree cell of some aircraft. */
export function pushZonesBench(subscribers: number): Bench {
  return {
    name: `push-zones-${subscribers}`,
    summary: `zones of about 15,000 aircraft, ${subscribers} subscribers`,
    async run() {
      const corner = (deg: number): number => Math.floor(deg / 10) * 10;
      const found = await measuredFilters(subscribers, ({ latDeg, lonDeg }) => `/ws/?zones=${corner(latDeg)},${corner(lonDeg)}`);
      const input = `deltas of 10-degree zones to ${subscribers} subscribers, more of them where more aircraft are; reference: each client's zone tested on each changed aircraft`;
      return figures(this.name, found.slice(0, 2), found[2]!, input);
    },
  };
}

/** Each subscriber with a filter of its own. */
export function pushFiltersBench(subscribers: number): Bench {
  return {
    name: `push-filters-${subscribers}`,
    summary: `${subscribers} different filters on about 15,000 aircraft`,
    async run() {
      const found = await measuredFilters(subscribers, filterPath);
      const [own, , plain] = found as [Measured, Measured, Measured];
      const input = `${subscribers} subscribers with different filters (circles of 25 to 50 nm, boxes of 1 degree, 10 addresses, beginnings of call signs, circles with altitudes); reference: each client's filter tested on each changed aircraft`;
      const hubInput = `until the hub has written all deltas, in turns of ${limits.pushTurnMsMax} ms: ${spread(own.rounds.map(({ hubMs }) => hubMs)).text}`;
      return [
        costFigure(`${this.name}-hub`, 'ms', medianOf(own, hubMsOf), medianOf(plain, hubMsOf), hubInput),
        ...figures(this.name, found.slice(0, 2), plain, input),
      ];
    },
  };
}

function hubMsOf({ hubMs }: Round): number {
  return hubMs;
}

async function measuredFilters(
  subscribers: number,
  pathOf: (point: LocatedPoint, points: readonly LocatedPoint[], i: number) => string,
): Promise<Measured[]> {
  const aircraft = BUSY_AIRCRAFT;
  const readersOf = (_: ServerKind, points: readonly LocatedPoint[]): Reader[] =>
    pick(points, subscribers).map((point, i) => ({ path: pathOf(point, points, i) }));
  const own = await measured(
    byAdapter((prefer): ServerKind => ({ kind: 'hub', prefer, aircraft })),
    readersOf,
  );
  // It takes seconds.
  return [...own, ...(await measured([{ kind: 'plain', mode: 'filtered', aircraft }], readersOf, REFERENCE_ROUNDS))];
}

function filterPath({ latDeg, lonDeg, flight, hex }: LocatedPoint, points: readonly LocatedPoint[], i: number): string {
  const circle = (radiusNm: number): string => `lat=${latDeg}&lon=${lonDeg}&radius_nm=${radiusNm}`;
  switch (i % 5) {
    case 0:
      return `/ws/?${circle(50 - (i % 25))}`;
    case 1:
      return `/ws/?bbox=${Math.max(-90, latDeg - 0.5)},${Math.max(-180, lonDeg - 0.5)},${Math.min(90, latDeg + 0.5)},${Math.min(180, lonDeg + 0.5)}`;
    case 2:
      return `/ws/?hex=${[hex, ...pick(points.slice(i), 9).map((point) => point.hex)].join(',')}`;
    case 3:
      return flight === null ? `/ws/?hex=${hex}` : `/ws/?callsign=${flight.trim().slice(0, 4 + (i % 3))}&min_altitude=${i % 5000}`;
    default:
      return `/ws/?${circle(50)}&min_altitude=${10_000 + i}`;
  }
}

/** Spread over all of them. */
function pick(points: readonly LocatedPoint[], count: number): LocatedPoint[] {
  return Array.from({ length: count }, (_, i) => points[(i * 7919) % points.length]!);
}

/** Frames of one size, without the hub. */
export function pushFramesBench(kilobytes: number, subscribers: number): Bench {
  return {
    name: `push-frames-${kilobytes}-${subscribers}`,
    summary: `text frames of ${kilobytes} KB to ${subscribers} subscribers, transport only`,
    async run() {
      const kinds = byAdapter((prefer): ServerKind => ({ kind: 'transport', prefer, frameBytes: kilobytes * 1000 }));
      const found = await measured(kinds, () => repeated({ path: '/' }, subscribers));
      return figures(
        this.name,
        found.slice(0, 1),
        found[1]!,
        `frames of ${kilobytes} KB to ${subscribers} subscribers; reference: the same through ws`,
      );
    },
  };
}

/** Connections that follow one aircraft. */
export function pushIdleBench(subscribers: number): Bench {
  return {
    name: `push-idle-${subscribers}`,
    summary: `${subscribers} subscribers of one aircraft each`,
    async run() {
      const kinds: ServerKind[] = [
        ...byAdapter((prefer): ServerKind => ({ kind: 'hub', prefer, aircraft: WORLD_AIRCRAFT })),
        { kind: 'plain', mode: 'shared', aircraft: WORLD_AIRCRAFT },
      ];
      const found = await measured(
        kinds,
        ({ kind }, points) => repeated({ path: kind === 'hub' ? `/ws/?hex=${points[0]!.hex}` : '/' }, subscribers),
        5,
      );
      const [uws, ws, plain] = found as [Measured, Measured, Measured];
      return [uws, ws].map((one, i) =>
        costFigure(
          `push-idle-${subscribers}-${adapters[i]!}`,
          'KB',
          one.connectionBytes / 1000,
          plain.connectionBytes / 1000,
          `resident memory per connection; ${summary(one)}; reference: ${summary(plain)}`,
        ),
      );
    },
  };
}
