// Process of `npm run soak -- --subscribers N`: subscribers of every profile that lose connections, stop reading, change their filters and come back.
// Two clients at a time exchange their filters, because the service's memory follows the number of different ones. Runs until SIGTERM, then prints what they
// saw as JSON.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { encodings } from '../../push/hub/encodings.ts';
import { ChaosClient } from '../support/chaos-client.ts';

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

function exchangeFilters(one: ChaosClient, other: ChaosClient): void {
  if (one.isChanging || other.isChanging) return;
  const { filter: given } = one;
  one.change(other.filter);
  other.change(given);
}

const clients: ChaosClient[] = [];
let isOver = false;
process.once('SIGTERM', () => {
  isOver = true;
});
for (let n = 0; n < count; n += 1) {
  // Every third through the HTTP port, which hands its connection over.
  const address = n % 3 === 0 ? values.http! : values.push!;
  clients.push(new ChaosClient(encodings[n % encodings.length]!, filter(), () => address));
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
const sum = (read: (client: ChaosClient) => number): number => clients.reduce((all, client) => all + read(client), 0);
const ends: Record<number, number> = {};
for (const { counts } of clients) for (const code of counts.ends) ends[code] = (ends[code] ?? 0) + 1;
const seen = {
  connections: sum(({ counts }) => counts.connections),
  fulls: sum(({ counts }) => counts.fulls),
  deltas: sum(({ counts }) => counts.deltas),
  resumes: sum(({ counts }) => counts.resumes),
  refused: sum(({ counts }) => counts.refused),
  ends,
  missed: clients.flatMap(({ counts }) => counts.missed).slice(0, 10),
};
process.stdout.write(`${JSON.stringify(seen)}\n`);
process.exit(seen.missed.length > 0 || seen.deltas === 0 ? 1 : 0);
