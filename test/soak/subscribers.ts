// Process of `npm run soak -- --subscribers N`: subscribers of every profile that lose connections, stop reading, change their filters and come back.
// Two clients at a time exchange their filters, because the service's memory follows the number of different ones. Runs until SIGTERM, then prints what they
// saw as JSON.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { encodings } from '../../push/hub/encodings.ts';
import { StreamClient } from '../support/stream-client.ts';

const STALL_MS_MAX = 40_000;
/** Mean time between two events of one client. */
const EVENT_MS = 120_000;
const RANGE_FT = 5000;
const BOX_DEG = 10;

const { values } = parseArgs({
  options: { http: { type: 'string' }, push: { type: 'string' }, count: { type: 'string', default: '100' } },
});
const count = Number(values.count);
const pick = (n: number): number => Math.floor(Math.random() * n);

/** The world for a third of them; otherwise one of many. */
function filter(): Readonly<Record<string, unknown>> {
  const kind = pick(3);
  if (kind === 0) return {};
  if (kind === 1) return { min_altitude: RANGE_FT * pick(8) };
  const [south, west] = [40 + pick(20), pick(20) - 10];
  return { bbox: [south, west, south + BOX_DEG, west + BOX_DEG] };
}

function exchangeFilters(one: StreamClient, other: StreamClient): void {
  if (one.isChanging || other.isChanging) return;
  const { filter: given } = one;
  one.change(other.filter);
  other.change(given);
}

const clients: StreamClient[] = [];
let isOver = false;
process.once('SIGTERM', () => {
  isOver = true;
});
for (let n = 0; n < count; n += 1) {
  // Every third through the HTTP port, which hands its connection over.
  const address = n % 3 === 0 ? values.http! : values.push!;
  clients.push(new StreamClient(encodings[n % encodings.length]!, () => [address], filter()));
  if (n % 50 === 49) await sleep(1000);
}
while (!isOver) {
  await sleep(EVENT_MS / count);
  const client = clients[pick(count)]!;
  const kind = pick(5);
  if (kind < 2) client.drop();
  else if (kind < 4) exchangeFilters(client, clients[pick(count)]!);
  else {
    client.stall(true);
    client.ask(10);
    setTimeout(() => client.stall(false), pick(STALL_MS_MAX)).unref();
  }
}
const sum = (read: (client: StreamClient) => number): number => clients.reduce((all, client) => all + read(client), 0);
const ends: Record<number, number> = {};
for (const client of clients) for (const code of client.ends) ends[code] = (ends[code] ?? 0) + 1;
const seen = {
  connections: sum((client) => client.connections),
  fulls: sum((client) => client.framesOf('full').length),
  deltas: sum((client) => client.framesOf('delta').length),
  resumes: sum((client) => client.resumes),
  refused: sum((client) => client.refusals.length),
  ends,
  missed: clients.flatMap(({ missed }) => missed).slice(0, 10),
};
process.stdout.write(`${JSON.stringify(seen)}\n`);
process.exit(seen.missed.length > 0 || seen.deltas === 0 ? 1 : 0);
