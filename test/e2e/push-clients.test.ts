// Clients of every profile over real sockets, with either transport: connections are lost, clients stop reading and change their filters, and the service
// is killed and starts again. Whatever happens, the aircraft of a client are those of `/v2/all` at the same event time that its filter selects.
import { describe, expect, it } from 'vitest';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import { wireFields } from '../../push/codec/fields.ts';
import { encodings } from '../../push/hub/encodings.ts';
import { everything, type Filter } from '../../push/hub/filter.ts';
import { accepts, type Plane, shown } from '../support/brute-filter.ts';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { StreamClient } from '../support/stream-client.ts';
import { transports } from '../support/transports.ts';
import { until } from '../support/until.ts';
import { differences } from '../support/wire-objects.ts';

const AIRCRAFT = 100;
const CLIENTS = 24;
/** Each of two times of chaos lasts so long, and until so many clients have resumed. */
const CHAOS_S = 4;
const RESUMES_MIN = 4;
const STALL_MS_MAX = 4500;
/** Fulls that a client asks for in a second. */
const ASKED = 16;
const SEED = Number(process.env['SQUITTER_FAULT_SEED'] ?? Date.now() % 1_000_000);

/** Filters as a client sends them, with their meaning. */
const filters: readonly (readonly [Readonly<Record<string, unknown>>, Filter])[] = [
  [{}, everything],
  [{ bbox: [-90, -180, 90, 5] }, { ...everything, box: { southDeg: -90, westDeg: -180, northDeg: 90, eastDeg: 5 } }],
  [{ min_altitude: 15_000 }, { ...everything, altitudeFtMin: 15_000 }],
  [{ max_altitude: 9000 }, { ...everything, altitudeFtMax: 9000 }],
  [{ fields: ['lat', 'lon', 'alt_baro', 'squawk'] }, { ...everything, members: ['lat', 'lon', 'alt_baro', 'squawk'] }],
];

/** Members that every binary frame brings up to date: others may be some frames old. */
const fast = new Set(wireFields.filter(({ isFast }) => isFast).flatMap(({ name, needs = [name] }) => [...needs]));

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const byHex = (planes: Iterable<Plane>): Map<string, Plane> => new Map([...planes].map((plane) => [plane['hex'] as string, plane]));

class Scene {
  readonly clients: StreamClient[] = [];
  /** Comparisons, by client. */
  readonly compared: number[] = [];
  readonly wrong: string[] = [];
  /** Lists of `/v2/all`, and the states of clients that wait for one, by `now`. */
  private readonly truths = new Map<number, readonly Plane[]>();
  private readonly waiting = new Map<number, (() => void)[]>();
  /** The push port, and the HTTP port, which hands connections over. */
  private addresses: readonly string[] = [];
  private isOver = false;
  private starts = 0;
  private service!: RunningService;

  constructor(service: RunningService) {
    this.serve(service);
    for (let n = 0; n < CLIENTS; n += 1) this.add(n);
    void this.poll();
  }

  serve(service: RunningService): void {
    this.service = service;
    this.starts += 1;
    // A service that starts again may show the same event time with newer routes: late frames of the one before are not compared with it.
    for (const client of this.clients) client.abandon();
    this.truths.clear();
    this.waiting.clear();
    this.addresses = [service.push, new URL(service.url).host];
  }

  close(): void {
    this.isOver = true;
    for (const client of this.clients) client.close();
  }

  private add(n: number): void {
    const addresses = () => [this.addresses[n % 3 === 0 ? 1 : 0]!];
    const client = new StreamClient(encodings[n % encodings.length]!, addresses, filters[n % filters.length]![0]);
    this.clients.push(client);
    this.compared.push(0);
    client.onState = ({ now, aircraft, seq }, stream) => {
      const filter = filters.find(([sent]) => sent === client.filter)![1];
      const planes = [...aircraft.values()].map((plane) => ({ ...plane }));
      const what = `client ${n} (${client.encoding}, connection ${client.connections}, ${JSON.stringify(client.filter)}, ${stream}:${seq})`;
      this.when(now, (truth) => this.compare(n, `${what} at ${now} of service ${this.starts}`, filter, planes, truth));
    };
  }

  private compare(n: number, what: string, filter: Filter, planes: readonly Plane[], truth: readonly Plane[]): void {
    const { encoding } = this.clients[n]!;
    const seen = (plane: Plane): Plane => {
      const all = shown(plane, filter);
      return encoding === 'binary' ? Object.fromEntries(Object.entries(all).filter(([name]) => name === 'hex' || fast.has(name))) : all;
    };
    const expected = truth.filter((plane) => accepts(filter, plane));
    const found = differences(byHex(planes.map(seen)), byHex(expected.map(seen)));
    if (found.length > 0) this.wrong.push(`${what}: ${found.slice(0, 3).join('; ')}`);
    this.compared[n]! += 1;
  }

  private when(now: number, compare: (truth: readonly Plane[]) => void): void {
    const truth = this.truths.get(now);
    if (truth !== undefined) compare(truth);
    else this.waiting.set(now, [...(this.waiting.get(now) ?? []), () => compare(this.truths.get(now)!)]);
  }

  private async poll(): Promise<void> {
    while (!this.isOver) {
      await pause(100);
      const body = await this.service
        .get('/v2/all')
        .then(async (response) => (response.ok ? ((await response.json()) as { now: number; ac: Plane[] }) : null))
        .catch(() => null);
      if (body === null || this.truths.has(body.now)) continue;
      this.truths.set(body.now, body.ac);
      for (const compare of this.waiting.get(body.now) ?? []) compare();
      this.waiting.delete(body.now);
    }
  }
}

async function act(scene: Scene, random: Random): Promise<void> {
  const client = random.pick(scene.clients);
  const kind = random.below(10);
  if (kind < 4) client.drop();
  else if (kind < 7) client.change(random.pick(filters)[0]);
  else {
    client.stall(true);
    // The kernel holds megabytes for who does not read.
    for (let ms = 0; ms < STALL_MS_MAX; ms += 1050) setTimeout(() => client.ask(ASKED), ms);
    setTimeout(() => client.stall(false), STALL_MS_MAX);
  }
  await pause(50 + random.below(150));
}

describe('clients that lose, stall, change and come back', () => {
  // They mostly wait.
  it.concurrent.for(transports)('see no wrong aircraft: %s', async (transport, { onTestFinished }) => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const flags = ['--push-tick', '1', '--push-transport', transport, '--simulate', String(AIRCRAFT)];
    let service = await startService(folder.path, flags);
    onTestFinished(async () => {
      await service.kill().catch(() => {});
    });
    await until(async () => ((await (await service.get('/v2/all')).json()) as { total: number }).total > AIRCRAFT / 2, 'aircraft');
    const scene = new Scene(service);
    onTestFinished(() => scene.close());
    const random = new Random(SEED);
    const sum = (read: (client: StreamClient) => number): number => scene.clients.reduce((all, client) => all + read(client), 0);
    const resumes = (): number => sum(({ resumes }) => resumes);
    const chaos = async (): Promise<void> => {
      const untilMs = performance.now() + CHAOS_S * 1000;
      const before = resumes();
      while (performance.now() < untilMs || resumes() < before + RESUMES_MIN) await act(scene, random);
    };
    await chaos();
    await service.kill();
    service = await startService(folder.path, flags);
    scene.serve(service);
    await chaos();
    await pause(STALL_MS_MAX);
    const before = [...scene.compared];
    await until(() => scene.compared.every((count, n) => count > before[n]! + 1), `all clients up to date again, seed ${SEED}`);
    expect(scene.wrong, `seed ${SEED}`).toEqual([]);
    expect(scene.clients.flatMap(({ missed }) => missed)).toEqual([]);
    expect(sum(({ connections }) => connections)).toBeGreaterThan(2 * CLIENTS);
    expect(await service.stop(), service.output()).toBe(0);
    // The service has ended, but its last bytes may still wait in the sockets.
    await until(() => sum(({ ends }) => ends.filter((code) => code === 1001).length) > CLIENTS / 2, 'clients told that it stops');
  });
});
