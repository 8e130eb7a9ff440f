// Where the map stands, and with how little it works: below a prefix of a proxy, where all of it is used, in a page of another origin, without WebGL2,
// over a slow link, without the push service, with the limits of a tier, and after a sleep. Nothing is requested outside of its root, and nothing is complained about in the console.

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenBrowser, openBrowser, type Page, type PageOptions } from '../support/browser.ts';
import { elsewhere, facts, WATCHED } from '../support/map-page.ts';
import { chromium } from '../support/requirements.ts';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

type PrefixProxy = Awaited<ReturnType<typeof startPrefixProxy>>;

/** `target`: address of the service, asked for with each request. `prefix` begins with a slash. Each connection has one request. */
async function startPrefixProxy(prefix: string, target: () => string) {
  const [requested, outside]: [string[], string[]] = [[], []];
  const [all, streams] = [new Set<Socket>(), new Set<Socket>()];
  let upgrades = 0;
  let isCut = false;
  const forward = (client: Socket, begun: string): void => {
    const path = begun.split(' ')[1]!;
    const isStream = /^upgrade: websocket/im.test(begun);
    requested.push(path);
    if (!path.startsWith(`${prefix}/`)) {
      outside.push(path);
      client.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    } else if (isStream && isCut) client.destroy();
    else {
      if (isStream) streams.add(client);
      upgrades = streams.size;
      const { hostname, port } = new URL(target());
      const upstream = connect(Number(port), hostname);
      upstream.on('error', () => client.destroy());
      client.on('close', () => upstream.destroy());
      upstream.write(begun.replace(prefix, '').replace(/^connection: keep-alive/im, 'Connection: close'), 'latin1');
      client.pipe(upstream).pipe(client);
    }
  };
  const server = createTcpServer((client) => {
    all.add(client);
    client.on('error', () => {});
    let begun = '';
    const read = (bytes: Buffer): void => {
      begun += bytes.toString('latin1');
      if (!begun.includes('\r\n\r\n')) return;
      client.off('data', read);
      forward(client, begun);
    };
    client.on('data', read);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    /** Public address of the service, with its trailing slash. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}/`,
    /** All paths that were asked for, by pages and their workers, and those of them outside of the prefix. */
    ...{ requested, outside },
    /** Upgrades that were handed on. */
    upgrades: (): number => upgrades,
    /** Ends all upgraded connections and refuses new ones, as without a push service; or hands them on again. */
    cutStreams(isNowCut: boolean): void {
      isCut = isNowCut;
      if (isCut) for (const socket of streams) socket.destroy();
    },
    close(): void {
      for (const socket of all) socket.destroy();
      server.close();
    },
  };
}

const program = chromium();
const AIRCRAFT = 60;
const PREFIX = '/planes';
/** A hidden page leaves the stream after 20 s: its picture gets old then. A current one is of the last tick, which comes each second. */
const [ASLEEP_MS, CURRENT_MS] = [5000, 2500];
/** 400 kbit/s. */
const SLOW = { offline: false, latency: 100, downloadThroughput: 50_000, uploadThroughput: 50_000 };
/** Chromium hides no page of a headless window: this sends the event that the browser would send. */
const hide = (page: Page, isHidden: boolean): Promise<unknown> =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'))`);
const site = {
  squitter: { title: 'Sites', colour: '#aa3377' },
  ...{ type: 'FeatureCollection', features: [[4.76, 52.31], [2.55, 49.01]].map((coordinates) => ({ type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates } })) }, // biome-ignore format: two points
};

describe.skipIf(!program.met)(`where the map stands ${program.met ? '' : program.reason}`, () => {
  const [data, layers] = [temporaryFolder(), temporaryFolder()];
  let service: RunningService;
  let proxy: PrefixProxy;
  let browser: OpenBrowser;
  let sleeper: Page;
  const pages: Page[] = [];
  const open = async (url: string, options: PageOptions = {}): Promise<Page> => {
    const page = await browser.open(url, { init: WATCHED, ...options });
    pages.push(page);
    return page;
  };

  beforeAll(async () => {
    writeFileSync(join(layers.path, 'sites.geojson'), JSON.stringify(site));
    proxy = await startPrefixProxy(PREFIX, () => service.url);
    const flags = ['--simulate', String(AIRCRAFT), '--no-history', '--map-layers', layers.path, '--base-url', proxy.url];
    [service, browser] = await Promise.all([startService(data.path, flags), openBrowser(program.path)]);
  });
  afterAll(async () => {
    await browser?.close();
    proxy?.close();
    await service?.stop();
    for (const folder of [data, layers]) folder.remove();
  });

  test('works below a prefix: selection, track, route, layers, rings around a click, and a board', async () => {
    const page = await open(`${proxy.url}?lat=51&lon=4&zoom=6`);
    sleeper = page;
    await page.until(`parseInt(document.getElementById('counts')?.textContent) === ${AIRCRAFT}`);
    // One with a route, that moves.
    type Flight = Readonly<{ hex: string; origin?: { icao: string }; destination?: unknown }>;
    const { flights } = (await (await service.get('/v2/flights?limit=100')).json()) as { flights: readonly Flight[] };
    const { hex, origin } = flights.find((each) => each.origin !== undefined && each.destination !== undefined)!;
    await page.press('/');
    await page.type(hex);
    await page.until("document.querySelectorAll('#results [role=option]').length > 0");
    await page.press('Enter');
    await page.until(`new URLSearchParams(location.search).get('aircraft') === '${hex}'`);
    await page.until("globalThis.sources['tracks'] > 0 && globalThis.sources['route'] === 2");
    await page.until("document.querySelectorAll('#side .facts > div').length > 12");
    const { ac } = (await (await service.get(`/v2/hex/${hex}`)).json()) as { ac: Record<string, unknown>[] };
    const shown = await facts(page);
    expect([shown.get('Registration'), shown.get('Squawk')?.slice(0, 4)]).toEqual([ac[0]!['r'], ac[0]!['squawk']]);
    expect(await page.tab.locator('#side .panel h2').first().innerText()).toBe(String(ac[0]!['flight']).trim());

    await page.tab.getByRole('button', { name: 'Map settings' }).click();
    await page.tab.locator('#settings').getByLabel('Sites').check();
    await page.until("globalThis.sources['file-sites']?.endsWith('/planes/map/layers/sites.geojson')");
    await page.tab.locator('#settings').getByLabel('Range rings').check();
    await page.tab.getByRole('button', { name: 'Click on the map' }).click();
    await page.tab.locator('#base canvas').click({ position: { x: 640, y: 330 } });
    await page.until("globalThis.sources['rings'] === 10 && !document.querySelector('.me-mark').hidden");
    await page.until("/^From me: [\\d.,]+ nm, \\d+° [NESW]+$/.test(document.getElementById('from-me').textContent)");
    expect(await page.evaluate<string>("localStorage.getItem('squitter-me')")).toMatch(/^[\d.]+,[\d.]+$/);

    await page.tab.locator('#side .route .airport').first().click();
    await page.until(`new URLSearchParams(location.search).get('airport') === '${origin!.icao}'`);
    await page.until("/Departures: [1-9]/.test(document.getElementById('side').innerText)");
    await page.until('navigator.serviceWorker.controller !== null');
    expect(await page.evaluate<string>('navigator.serviceWorker.controller.scriptURL')).toMatch(proxy.url);
    expect(proxy.upgrades()).toBeGreaterThan(0);
    expect([proxy.outside, elsewhere(page.requests, proxy.url)]).toEqual([[], []]);
    await hide(page, true);
  });

  test('may be framed by pages of others where it is made for that, and nowhere else', async () => {
    const frames = ['embed?lat=51&lon=4&zoom=5', ''].map(
      (path) => `<iframe width="400" height="300" src="${service.url}/${path}"></iframe>`,
    );
    const other = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(`<!doctype html><link rel="icon" href="data:,">${frames.join('')}`);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const page = await open(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    const framed = await until(() => page.tab.frames().find((frame) => frame.url().includes('/embed')), 'the frame');
    await until(() => framed.evaluate<boolean>('globalThis.picture?.count > 0'), 'aircraft in the frame');
    await until(() => page.complaints.length > 0, 'a refusal');
    expect(page.complaints.splice(0)).toEqual([expect.stringContaining("frame-ancestors 'none'")]);
    await page.close();
    other.closeAllConnections();
    other.close();
  });

  test('is a table without WebGL2', async () => {
    const blind = await openBrowser(program.path, ['--disable-3d-apis']);
    const page = await blind.open(`${service.url}/`);
    pages.push(page);
    await page.until("document.querySelectorAll('#table tr[data-hex]').length > 5");
    expect(await page.tab.locator('#notices').innerText()).toContain('This browser has no WebGL2');
    await page.tab.locator('#table tr[data-hex] button').first().click();
    await page.until("document.querySelector('#side .panel h2').textContent !== ''");
    await blind.close();
  });

  test('with the limits of a tier it has the pictures of its stream, and says when the next one comes', async () => {
    const folder = temporaryFolder();
    const flags = ['--simulate', '20', '--no-history', '--access', 'tiers', '--pages', 'tiers'];
    const limited = await startService(folder.path, flags);
    const page = await open(`${limited.url}/`);
    await page.until("/aircraft, \\d+ with a position · next picture in \\d+ s$/.test(document.getElementById('counts')?.textContent)");
    const first = await page.evaluate<number>('globalThis.picture.nowMs');
    await page.until(`globalThis.picture.nowMs > ${first} && globalThis.picture.counts.aircraft > 10`);
    await page.press('n');
    await page.until("document.querySelector('#side .panel h2')?.textContent.length > 3");
    await page.close();
    await limited.stop();
    folder.remove();
  });

  test('has aircraft over a slow link; without the push service it says so, and continues with the next one without a reload', async () => {
    const page = await open('about:blank');
    const link = await page.context.newCDPSession(page.tab);
    await link.send('Network.enable');
    await link.send('Network.emulateNetworkConditions', SLOW);
    await page.open(proxy.url);
    await page.until('globalThis.picture?.count > 0');
    await page.evaluate('globalThis.isSame = true');
    expect(page.complaints).toEqual([]);
    proxy.cutStreams(true);
    await page.until("/trying again/.test(document.getElementById('counts').textContent)");
    const before = await page.evaluate<number>('globalThis.picture.nowMs');
    proxy.cutStreams(false);
    await page.until(`globalThis.picture.nowMs > ${before} && / with a position$/.test(document.getElementById('counts').textContent)`);
    expect(await page.evaluate('globalThis.isSame')).toBe(true);
    page.complaints.length = 0;
    await page.close();
  });

  test('is current at once after a sleep', async ({ annotate }) => {
    const page = sleeper;
    // It has left the stream.
    await page.until(`Date.now() - globalThis.picture.nowMs > ${ASLEEP_MS}`);
    const requested = proxy.requested.length;
    const wokenMs = performance.now();
    await hide(page, false);
    await page.until(`Date.now() - globalThis.picture.nowMs < ${CURRENT_MS}`);
    await annotate(`current ${Math.round(performance.now() - wokenMs)} ms after the sleep`);
    expect(proxy.requested.slice(requested).filter((path) => /\/v2\/(stream|ws)/.test(path)).length).toBeGreaterThan(0);
  });

  test('requested nobody else, and had nothing to complain about', () => {
    expect(pages.flatMap(({ complaints }) => complaints).filter((each) => !/status of 429/.test(each))).toEqual([]);
    const requests = pages.flatMap((page) => page.requests);
    expect(elsewhere(requests, 'http://127.0.0.1:')).toEqual([]);
  });
});
