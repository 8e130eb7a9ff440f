// `npm run soak -- --browser`: the page of the map in Chromium on the whole service, while somebody looks around: heaps of the page and its workers after a
// garbage collection, script time, frames and pictures. WebGL2 is drawn by software, on the cores of the service.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import type { LiveService } from '../bench/children.ts';
import { openPage, type Page } from '../support/browser.ts';
import { chromium } from '../support/requirements.ts';
import { settled, withService } from './service.ts';
import { isFlat, type Trend, trendOf, trendText } from './trend.ts';

const SAMPLE_S = 30;
/** Until heaps are compared: half of the run, at most this. Tiles, compiled code and names of aircraft are complete. */
const WARM_S_MAX = 1800;
/** A shorter run gives no verdict. */
const VERDICT_S_MIN = 1200;
const HEAP_MB_PER_MINUTE_MAX = 0.2;
/** Keys of a visitor, one every few seconds: select an aircraft, open the table, move the view and come back. */
const KEYS = ['n', '+', 'ArrowLeft', 't', 'Escape', '-', 'ArrowRight', 't'];
const KEY_MS = 5000;
/** History would take a third of the machine from the page. */
const FLAGS = ['--no-history'];
/** The service and the drawing share the cores: a request may be refused, and the page asks again. */
const REFUSED = /status of (429|503)/;
const MB = 1024 * 1024;

/** Counts in the page: pictures of its worker, draws of all aircraft, and the script time of each frame since `frameMs` was emptied. */
const COUNT = `(() => {
  const seen = (globalThis.soak = { pictures: 0, draws: 0, frameMs: [] });
  globalThis.Worker = class extends Worker {
    constructor(...of) { super(...of); this.addEventListener('message', ({ data }) => { if (data.kind === 'picture') seen.pictures += 1; }); }
  };
  const context = WebGL2RenderingContext.prototype;
  const draw = context.drawArraysInstanced;
  context.drawArraysInstanced = function (...of) { seen.draws += 1; return draw.apply(this, of); };
  const request = requestAnimationFrame;
  let frame = 0;
  globalThis.requestAnimationFrame = (run) => request((timeMs) => {
    if (timeMs !== frame) seen.frameMs.push(0);
    frame = timeMs;
    const startMs = performance.now();
    run(timeMs);
    seen.frameMs[seen.frameMs.length - 1] += performance.now() - startMs;
  });
})()`;

interface Counts {
  readonly pictures: number;
  readonly draws: number;
  readonly frameMs: readonly number[];
}

interface Row {
  readonly atS: number;
  /** MB after a garbage collection, by script: JavaScript, DOM and buffers. */
  readonly heapsMb: Readonly<Record<string, number>>;
  readonly nodes: number;
  readonly pictures: number;
  readonly draws: number;
  /** Time of all scripts in the page's thread since it opened. */
  readonly scriptS: number;
  /** Script time of each frame since the row before. */
  readonly frameMs: readonly number[];
}

/** Watches it; true when pictures came, nothing complained, and in a run of some length no heap grew. */
export async function soakBrowser(aircraft: string, totalS: number): Promise<boolean> {
  const { met, path, reason } = chromium();
  if (!met) throw new Error(reason);
  return await withService(aircraft, FLAGS, async (service, folder) => {
    await settled(service, Number(aircraft));
    const page = await openPage(path, join(folder, 'profile'), `${service.url}/`, { init: COUNT });
    try {
      return report(await watch(page, service, totalS), page.complaints, totalS);
    } finally {
      await page.close();
    }
  });
}

async function watch(page: Page, service: LiveService, totalS: number): Promise<Row[]> {
  await page.until('globalThis.soak.draws > 0');
  const startMs = performance.now();
  const elapsedS = (): number => (performance.now() - startMs) / 1000;
  const heaps = await Heaps.of(page);
  const rows = [await rowOf(page, heaps, 0)];
  for (let keys = 0; elapsedS() < totalS; keys += 1) {
    await sleep(KEY_MS);
    if (!service.running) throw service.failure('the service ended');
    await page.press(KEYS[keys % KEYS.length]!);
    const last = rows.at(-1)!;
    if (elapsedS() < last.atS + SAMPLE_S) continue;
    const row = await rowOf(page, heaps, elapsedS());
    rows.push(row);
    if (Math.floor(row.atS / 60) > Math.floor(last.atS / 60)) sayMinute(row, last, totalS);
  }
  return rows;
}

async function rowOf(page: Page, heaps: Heaps, atS: number): Promise<Row> {
  const counts = await page.evaluate<Counts>('globalThis.soak');
  const { nodes, scriptS } = await heaps.metrics();
  const heapsMb = await heaps.collectedMb();
  // The collection is in no frame.
  await page.evaluate('void (globalThis.soak.frameMs.length = 0)');
  return { atS, heapsMb, nodes, scriptS, ...counts };
}

function sayMinute(row: Row, before: Row, totalS: number): void {
  const seconds = row.atS - before.atS;
  const heaps = Object.entries(row.heapsMb).map(([name, mb]) => `${name} ${mb.toFixed(1)} MB`);
  const [scriptMs, draws] = [1000 * (row.scriptS - before.scriptS), row.draws - before.draws];
  process.stderr.write(
    `minute ${Math.floor(row.atS / 60)} of ${totalS / 60}: ${heaps.join(', ')}, ${row.nodes} DOM nodes, ${(draws / seconds).toFixed(1)} draws/s, ` +
      `${row.pictures - before.pictures} pictures in ${seconds.toFixed(0)} s, ${(scriptMs / draws).toFixed(1)} ms of scripts a draw\n`,
  );
}

function report(rows: readonly Row[], complaints: readonly string[], totalS: number): boolean {
  const [first, last] = [rows[0]!, rows.at(-1)!];
  const seconds = last.atS - first.atS;
  const frameMs = rows
    .slice(1)
    .flatMap((row) => row.frameMs)
    .sort((a, b) => a - b);
  const at = (share: number): number => Number((frameMs[Math.floor(share * (frameMs.length - 1))] ?? Number.NaN).toFixed(1));
  const perS = (count: number): number => Number((count / seconds).toFixed(2));
  const warm = rows.filter((row) => row.atS >= Math.min(WARM_S_MAX, totalS / 2));
  const trends = Object.keys(last.heapsMb).map((name): [string, Trend] => [
    name,
    trendOf(warm.flatMap(({ atS, heapsMb }) => (heapsMb[name] === undefined ? [] : [{ atS, value: heapsMb[name] }]))),
  ]);
  const others = complaints.filter((complaint) => !REFUSED.test(complaint));
  const refused = complaints.length - others.length;
  const figures = {
    seconds: Math.round(seconds),
    pictures: last.pictures,
    drawsPerS: perS(last.draws - first.draws),
    framesPerS: perS(frameMs.length),
    scriptMsPerFrame: { p50: at(0.5), p99: at(0.99) },
    scriptCores: perS(last.scriptS - first.scriptS),
    domNodes: rows.map(({ nodes }) => nodes),
    heapsMb: rows.map(({ atS, heapsMb }) => ({ atS: Math.round(atS), ...heapsMb })),
    refused,
    complaints: others,
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  const hasVerdict = totalS >= VERDICT_S_MIN;
  for (const [name, trend] of hasVerdict ? trends : [])
    process.stdout.write(`${trendText(`heap of ${name}, MB`, trend, HEAP_MB_PER_MINUTE_MAX)}\n`);
  const isShown = last.pictures > first.pictures && last.draws > first.draws && others.length === 0;
  if (!isShown) process.stderr.write('the page had no pictures, or complaints in its console\n');
  return isShown && (!hasVerdict || trends.every(([, trend]) => isFlat(trend, HEAP_MB_PER_MINUTE_MAX)));
}

/** Heaps of a page and its workers through the protocol of the browser's tools. */
class Heaps {
  private readonly session: CDPSession;
  /** Scripts of workers, by session. */
  private readonly workers = new Map<string, string>();
  private readonly waiting = new Map<number, (result: unknown) => void>();
  private sent = 0;

  static async of({ context, tab }: Page): Promise<Heaps> {
    const heaps = new Heaps(await context.newCDPSession(tab));
    await heaps.session.send('Performance.enable');
    // Without `flatten` this session relays the messages of workers.
    await heaps.session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
    return heaps;
  }

  private constructor(session: CDPSession) {
    this.session = session;
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo: { type, url } }) => {
      if (type === 'worker') this.workers.set(sessionId, new URL(url).pathname.split('/').at(-1)!);
    });
    session.on('Target.detachedFromTarget', ({ sessionId }) => this.workers.delete(sessionId));
    session.on('Target.receivedMessageFromTarget', ({ message }) => {
      const { id, result } = JSON.parse(message) as { readonly id?: number; readonly result?: unknown };
      this.waiting.get(id ?? 0)?.(result);
    });
  }

  async metrics(): Promise<{ readonly nodes: number; readonly scriptS: number }> {
    const { metrics } = await this.session.send('Performance.getMetrics');
    const metric = (name: string): number => metrics.find((each) => each.name === name)!.value;
    return { nodes: metric('Nodes'), scriptS: metric('ScriptDuration') };
  }

  async collectedMb(): Promise<Record<string, number>> {
    await this.session.send('HeapProfiler.collectGarbage');
    const heaps: [string, HeapUsage][] = [['page', await this.session.send('Runtime.getHeapUsage')]];
    for (const [worker, name] of this.workers) {
      await this.ask(worker, 'HeapProfiler.collectGarbage');
      heaps.push([name, await this.ask<HeapUsage>(worker, 'Runtime.getHeapUsage')]);
    }
    return Object.fromEntries(heaps.map(([name, usage]) => [name, megabytes(usage)]));
  }

  private async ask<Result>(sessionId: string, method: string): Promise<Result> {
    this.sent += 1;
    const id = this.sent;
    const response = new Promise((resolve) => this.waiting.set(id, resolve));
    await this.session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) });
    const result = await response;
    this.waiting.delete(id);
    return result as Result;
  }
}

interface HeapUsage {
  readonly usedSize: number;
  readonly embedderHeapUsedSize: number;
  readonly backingStorageSize: number;
}

function megabytes({ usedSize, embedderHeapUsedSize, backingStorageSize }: HeapUsage): number {
  return Number(((usedSize + embedderHeapUsedSize + backingStorageSize) / MB).toFixed(2));
}
