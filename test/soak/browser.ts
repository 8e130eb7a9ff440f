// `npm run soak -- --browser`: the page of the map in Chromium on the whole service, while keys look around: heaps of the page and its workers after a garbage
// collection. WebGL2 is drawn by software, on the cores of the service.
import { basename } from 'node:path';
import { withService } from '../bench/children.ts';
import { openBrowser, type Page } from '../support/browser.ts';
import { chromium } from '../support/requirements.ts';
import { isSteady, watched } from './watch.ts';

/** Until heaps are compared: half of the run, at most this. Tiles, compiled code and names of aircraft are complete. */
const WARM_S_MAX = 1800;
/** A shorter run gives no verdict. */
const VERDICT_S_MIN = 1200;
const HEAP_MB_PER_MINUTE_MAX = 0.2;
/** Keys of a visitor, one each sample: select an aircraft, open the table, move the view and come back. */
const KEYS = ['n', '+', 'ArrowLeft', 't', 'Escape', '-', 'ArrowRight', 't'];
/** The service and the drawing share the cores: a request may be refused, and the page asks again. */
const REFUSED = /status of (429|503)/;

/** Counts the pictures that a worker gave the page. */
const COUNT = `globalThis.pictures = 0; globalThis.Worker = class extends Worker {
  constructor(...of) { super(...of); this.addEventListener('message', ({ data }) => { if (data.kind === 'picture') pictures += 1; }); }
};`;

/** True when pictures came, nothing complained, and in a run of some length no heap grew. */
export async function soakBrowser(aircraft: string, totalS: number): Promise<boolean> {
  const { met, path, reason } = chromium();
  if (!met) throw new Error(reason);
  // History would take a third of the machine from the page.
  return await withService(['--simulate', aircraft, '--no-history'], async (service) => {
    const browser = await openBrowser(path);
    try {
      const page = await browser.open(`${service.url}/`, { init: COUNT });
      await page.until('pictures > 0');
      const heapsMb = await heapsOf(page);
      let keys = 0;
      const rows = await watched(service, totalS, async () => {
        await page.press(KEYS[keys % KEYS.length]!);
        keys += 1;
        return { pictures: await page.evaluate<number>('pictures'), ...(await heapsMb()) };
      });
      const complaints = page.complaints.filter((complaint) => !REFUSED.test(complaint));
      const isShown = rows.at(-1)!['pictures']! > rows[0]!['pictures']! && complaints.length === 0;
      if (!isShown) process.stderr.write(`the page had no new pictures, or complaints in its console: ${complaints.join('\n')}\n`);
      const { atS: _, pictures: __, ...heaps } = rows.at(-1)!;
      const bounds = Object.fromEntries(Object.keys(heaps).map((name) => [name, HEAP_MB_PER_MINUTE_MAX]));
      const warm = rows.filter(({ atS }) => atS >= Math.min(WARM_S_MAX, totalS / 2));
      return isShown && (isSteady(warm, bounds) || totalS < VERDICT_S_MIN);
    } finally {
      await browser.close();
    }
  });
}

interface HeapUsage {
  readonly usedSize: number;
  readonly embedderHeapUsedSize: number;
  readonly backingStorageSize: number;
}

/** Heaps of a page and its workers by script: JavaScript, DOM and buffers. Through the protocol of the browser's tools. */
async function heapsOf({ context, tab }: Page): Promise<() => Promise<Record<string, number>>> {
  const session = await context.newCDPSession(tab);
  /** Scripts of workers, by session. */
  const workers = new Map<string, string>();
  const waiting = new Map<number, (result: HeapUsage) => void>();
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo: { type, url } }) => {
    if (type === 'worker') workers.set(sessionId, basename(new URL(url).pathname));
  });
  session.on('Target.detachedFromTarget', ({ sessionId }) => workers.delete(sessionId));
  session.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result } = JSON.parse(message) as { readonly id: number; readonly result: HeapUsage };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  // Without `flatten` this session relays the messages of workers.
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  let sent = 0;
  const ask = async (sessionId: string, method: string): Promise<HeapUsage> => {
    sent += 1;
    const id = sent;
    const response = new Promise<HeapUsage>((resolve) => waiting.set(id, resolve));
    await session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) });
    return response;
  };
  const megabytes = ({ usedSize, embedderHeapUsedSize, backingStorageSize }: HeapUsage): number =>
    Number(((usedSize + embedderHeapUsedSize + backingStorageSize) / 1024 ** 2).toFixed(2));
  return async () => {
    await session.send('HeapProfiler.collectGarbage');
    const heaps = { page: megabytes(await session.send('Runtime.getHeapUsage')) };
    for (const [worker, name] of workers) {
      await ask(worker, 'HeapProfiler.collectGarbage');
      Object.assign(heaps, { [name]: megabytes(await ask(worker, 'Runtime.getHeapUsage')) });
    }
    return heaps;
  };
}
