// `npm run soak -- --pages N`: the whole service with N pages on its stream, and without them, in turns: how long /v2/bbox takes, how late the ticks of clients
// of the API come, how old what a page gets is, and what it costs.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { readHeader } from '../../push/codec/decoder.ts';
import { BINARY_PROTOCOL, NAMED_PROTOCOL, SNAPSHOT_PATH } from '../../schemas/push.ts';
import { processCpuSeconds } from '../bench/push/clock.ts';
import type { Reader, ReadersOrder, ReadersReport } from '../bench/push/readers.ts';
import { type Service, withService } from './service.ts';

/** Of one phase, with or without pages, about: what else the machine does is in both. */
const PHASE_S_MAX = 20;
const ASKING = 4;
const PAUSE_MS = 20;
/** A page arrives so often while the others watch, and fetches the world. */
const ARRIVAL_MS = 2000;
const BOX_DEG = 6;
const BBOX_SHARE_MAX = 1.1;
const WORSE_MS_MAX = 5;
/** A shorter run gives no verdict: a busy second of the machine would be in its p99. */
const VERDICT_S_MIN = 300;
/** Ticks of API clients as often as those of pages, for more samples; and no limit that slows pages down. */
const FLAGS = ['--push-tick', '1', '--page-egress', '10000000000'];
const PAGE_HEADERS = { 'x-squitter-page': '1' };

/** Values of a phase in ms, until it ends. */
class Phase {
  readonly bboxMs: number[] = [];
  readonly lateMs: number[] = [];
  readonly pageAgeMs: number[] = [];
  /** Requests that were refused: the machine is too busy for the service. */
  refused = 0;
  seconds = 0;
  cpuS = 0;
}

/** Of all phases of a kind. */
interface Summary {
  readonly bboxMs: Percentiles;
  readonly lateMs: Percentiles;
  readonly refused: number;
  readonly cores: number;
}

interface Percentiles {
  readonly samples: number;
  readonly p50: number;
  readonly p99: number;
}

interface Pages {
  readonly child: ChildProcess;
  /** Bytes to all of them, and connections that ended, since they connected. */
  usage(): Promise<{ readonly bytes: number; readonly closed: number }>;
}

/** Runs it; true when the pages were served, and in a run of several minutes when the others did not notice. */
export async function soakPages(aircraft: string, pages: number, totalS: number): Promise<boolean> {
  return await withService(aircraft, FLAGS, (service) => inTurns(service, pages, totalS));
}

async function inTurns(service: Service, pages: number, totalS: number): Promise<boolean> {
  const count = 2 * Math.max(1, Math.round(totalS / PHASE_S_MAX / 2));
  const phaseS = totalS / count;
  const without: Phase[] = [];
  const withPages: Phase[] = [];
  const seen = { bytes: 0, closed: 0, ticks: 0 };
  for (let n = 0; n < count; n += 1) {
    if (n % 2 === 0) {
      without.push(await measure(service, phaseS, false));
      continue;
    }
    const open = await openPages(service, pages);
    const before = await open.usage();
    const phase = await measure(service, phaseS, true);
    withPages.push(phase);
    const after = await open.usage();
    seen.bytes += after.bytes - before.bytes;
    seen.closed += after.closed;
    seen.ticks += phase.pageAgeMs.length;
    open.child.kill();
    await once(open.child, 'exit');
  }
  return report(pages, totalS, seen, summaryOf(without), summaryOf(withPages), withPages);
}

function report(
  pages: number,
  totalS: number,
  seen: { readonly bytes: number; readonly closed: number; readonly ticks: number },
  without: Summary,
  withPages: Summary,
  phases: readonly Phase[],
): boolean {
  const seconds = phases.reduce((sum, phase) => sum + phase.seconds, 0);
  const ticksPerS = seen.ticks / seconds;
  const figures = {
    pages,
    without,
    with: withPages,
    bytesPerSOfAPage: Math.round(seen.bytes / pages / seconds),
    pageAgeMs: percentiles(phases.flatMap(({ pageAgeMs }) => pageAgeMs)),
    pageTicksPerS: Number(ticksPerS.toFixed(2)),
    closed: seen.closed,
  };
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
  const isServed = seen.closed === 0 && seen.bytes > 0 && seen.ticks > 0;
  if (!isServed) process.stderr.write('pages lost their connections, or got nothing\n');
  const isUnnoticed = isNear(without.bboxMs, withPages.bboxMs) && isNear(without.lateMs, withPages.lateMs);
  process.stdout.write(`p99 with ${pages} pages at most 10 % or ${WORSE_MS_MAX} ms worse: ${isUnnoticed ? 'yes' : 'NO'}\n`);
  return isServed && (isUnnoticed || totalS < VERDICT_S_MIN);
}

function isNear(without: Percentiles, withPages: Percentiles): boolean {
  return withPages.p99 <= Math.max(BBOX_SHARE_MAX * without.p99, without.p99 + WORSE_MS_MAX);
}

function summaryOf(phases: readonly Phase[]): Summary {
  const sum = (read: (phase: Phase) => number): number => phases.reduce((all, phase) => all + read(phase), 0);
  return {
    bboxMs: percentiles(phases.flatMap(({ bboxMs }) => bboxMs)),
    lateMs: percentiles(phases.flatMap(({ lateMs }) => lateMs)),
    refused: sum(({ refused }) => refused),
    cores: Number((sum(({ cpuS }) => cpuS) / sum(({ seconds }) => seconds)).toFixed(2)),
  };
}

function percentiles(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => Number((sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1));
  return { samples: sorted.length, p50: at(0.5), p99: at(0.99) };
}

/** As a browser: the world once over HTTP, and then from that frame on. */
async function openPages({ pushPort, httpPort }: Service, count: number): Promise<Pages> {
  const child = fork(join(import.meta.dirname, '../bench/push/readers.js'), { stdio: 'inherit', serialization: 'advanced' });
  const order = (each: ReadersOrder): boolean => child.send(each);
  const { stream, seq } = readHeader(await world(httpPort));
  const path = `/v2/ws?page=1&stream=${stream}&seq=${seq}`;
  const reader: Reader = { path, protocol: BINARY_PROTOCOL, origin: 'http://bench' };
  order({ type: 'connect', port: pushPort, readers: Array<Reader>(count).fill(reader) });
  await once(child, 'message');
  return {
    child,
    async usage() {
      order({ type: 'usage' });
      const [usage] = (await once(child, 'message')) as [ReadersReport & { type: 'usage' }];
      return usage;
    },
  };
}

async function world(httpPort: number): Promise<Uint8Array> {
  const response = await fetch(`http://127.0.0.1:${httpPort}${SNAPSHOT_PATH}`, { headers: PAGE_HEADERS });
  if (!response.ok) throw new Error(`the snapshot has status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

async function measure(service: Service, seconds: number, hasPages: boolean): Promise<Phase> {
  const { child, httpPort, pushPort } = service;
  const phase = new Phase();
  const url = `ws://127.0.0.1:${pushPort}/v2/ws`;
  const client = new WebSocket(`${url}?bbox=50,3,54,8`, NAMED_PROTOCOL);
  client.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as { readonly type: string; readonly now: number };
    if (frame.type === 'delta') phase.lateMs.push(Date.now() - 1000 * frame.now);
  });
  await once(client, 'open');
  const page = hasPages ? await followedPage(service, phase) : null;
  const startS = processCpuSeconds(child.pid!);
  const startMs = performance.now();
  const endMs = startMs + 1000 * seconds;
  const agent = new Agent({ keepAlive: true, maxSockets: ASKING });
  const asking = Array.from({ length: ASKING }, async () => {
    while (performance.now() < endMs) {
      await sleep(PAUSE_MS);
      const ms = await ask(httpPort, agent);
      if (ms === null) phase.refused += 1;
      else phase.bboxMs.push(ms);
    }
  });
  const arriving = hasPages ? arrive(httpPort, endMs) : null;
  await Promise.all([...asking, arriving]);
  phase.seconds = (performance.now() - startMs) / 1000;
  phase.cpuS = processCpuSeconds(child.pid!) - startS;
  agent.destroy();
  for (const socket of [client, page]) socket?.terminate();
  return phase;
}

/** One page whose frames are looked at. */
async function followedPage({ httpPort, pushPort }: Service, phase: Phase): Promise<WebSocket> {
  const { stream, seq } = readHeader(await world(httpPort));
  const page = new WebSocket(`ws://127.0.0.1:${pushPort}/v2/ws?stream=${stream}&seq=${seq}`, BINARY_PROTOCOL, { headers: PAGE_HEADERS });
  page.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) phase.pageAgeMs.push(Date.now() - readHeader(data).nowMs);
  });
  await once(page, 'open');
  return page;
}

async function arrive(httpPort: number, endMs: number): Promise<void> {
  while (performance.now() < endMs) {
    await sleep(Math.min(ARRIVAL_MS, Math.max(0, endMs - performance.now())));
    await world(httpPort).catch(() => null);
  }
}

/** Ms until the last byte; null without a list. */
function ask(port: number, agent: Agent): Promise<number | null> {
  const [south, west] = [35 + 20 * Math.random(), 25 * Math.random() - 5];
  const path = `/v2/bbox?min_lat=${south}&min_lon=${west}&max_lat=${south + BOX_DEG}&max_lon=${west + BOX_DEG}`;
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200 ? performance.now() - start : null));
    });
    request.on('error', reject);
  });
}
