// The dashboard of a feeder in a real browser, by the keyboard alone: its owner claims it from its address, names it, and changes its key. And its plots.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HistoryStore } from '../../query-api/queries/history/history-store.ts';
import { ownersScene } from '../support/access-scene.ts';
import { openPage, type Page } from '../support/browser.ts';
import { simulatedSlices } from '../support/feeder.ts';
import { createTestApi, type TestApi } from '../support/live-view.ts';
import { chromium, documentationAddress } from '../support/requirements.ts';
import { testIds } from '../support/secret.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const browser = chromium();
const home = documentationAddress(28);
afterAll(home.remove);
const isMet = browser.met && home.met;

const PHONE = 360;
const TABS_MAX = 40;
const UUID = '7c0ffee7-1dea-4bad-8ace-5eed0fadedab';

/** Moves the focus there by the keyboard. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let n = 0; n < TABS_MAX; n += 1) {
    await page.press('Tab');
    if (await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`no Tab leads to ${selector}`);
}

async function choose(page: Page, ...selectors: string[]): Promise<void> {
  for (const selector of selectors) {
    await tabTo(page, selector);
    await page.press('Enter');
  }
}

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A store that heard the first 20 hours of each day of a span, at whatever time of the day the test runs. */
const history = {
  rows: async (_query: string, { from, to }: { readonly from: number; readonly to: number }) =>
    Array.from({ length: Math.floor((to - from) / 300) }, (_, i) => ({
      ...{ startS: from + 300 * i, frames: 60_000 + 30_000 * Math.sin(i / 46), positions: 1, disagreements: 0 },
      ...{
        aircraft: Math.round(50 + 30 * Math.sin(i / 46)),
        signalDecidb: -120 + (i % 7),
        rangeNm: new Array<number>(16).fill(80).with(3, 187),
      },
    })).filter(({ startS }) => (startS - from) % 86_400 < 72_000),
};

describe.skipIf(!isMet)(`the dashboard of a feeder ${isMet ? '' : browser.met ? home.reason : browser.reason}`, () => {
  const data = temporaryFolder();
  const scene = ownersScene();
  let api: TestApi;
  let page: Page;
  beforeAll(async () => {
    scene.feed(testIds.ofUuid(UUID), null);
    api = await createTestApi(1, { access: scene.access, feeders: scene.owners, history: new HistoryStore(history as never) });
    page = await openPage(browser.path, `${await api.app.listen({ host: home.address, port: 0 })}/feeders`);
  });
  afterAll(async () => {
    await page.close();
    await api.app.close();
    await scene.close();
    data.remove();
  });
  const showsDoor = () => page.until("document.getElementById('door')?.hidden === false");
  const showsText = (text: string) => page.until(`document.getElementById('done').innerText.includes(${JSON.stringify(text)})`);
  const keyIn = () => page.evaluate<string>("document.getElementById('key').value");
  const fits = () => page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth');
  /** The browser reports each refusal, which the page shows in words. */
  const complaints = () => page.complaints.filter((text) => !/status of 40[13]/.test(text));

  it('draws a day and a week, on a phone, too', async () => {
    await page.resize(PHONE);
    await showsDoor();
    expect(await fits()).toBe(true);
    await tabTo(page, '#proof');
    await page.type(UUID);
    await page.press('Enter');
    await showsText('You are the owner');
    const words = [
      /^Messages: 1\d\d to 300 a second/,
      /^Aircraft: 2\d to 80 at a time/,
      /^Signal: -12 to -11\.4 dBFS/,
      /^Range: 187 to 187 nm/,
    ];
    const names = await page.evaluate<string[]>("[...document.querySelectorAll('#plots [role=img]')].map((plot) => plot.ariaLabel)");
    for (const [i, word] of [...words, /^Range by direction: farthest 187 nm/].entries()) expect(names[i]).toMatch(word);
    await choose(page, '[data-span="week"]');
    await page.until("document.querySelector('[data-span=week]').ariaPressed === 'true'");
    expect(await fits()).toBe(true);
    expect(complaints()).toEqual([]);
  });

  it('is claimed from the address of the feeder, and changed by its owner', async () => {
    const anyPort = `${home.address}:0`;
    const service = await startService(data.path, ['--access', 'tiers', '--no-simulation', '--http', anyPort, '--listen', anyPort]);
    cleanUps.push(() => service.kill());
    // It feeds until the service is gone, which may reset it.
    const socket = connect({ port: service.listenPort, host: home.address, localAddress: home.address }).on('error', () => {});
    const slices = simulatedSlices(60, 60, 1);
    const feeding = setInterval(() => {
      const { value } = slices.next();
      if (value !== undefined) socket.write(value.bytes);
    }, 50);
    cleanUps.push(
      () => socket.destroy(),
      () => clearInterval(feeding),
    );
    await until(async () => {
      // More often would use up what the page may ask.
      await sleep(1000);
      return (await service.get('/v2/stats')).headers.get('x-service-tier') === 'contributor';
    }, 'the feeder is known');
    /** Asks for what costs nothing: the requests of the page are all that an address may make at once. */
    const ofKey = async (key: string) => (await service.get('/healthz', { authorization: `Bearer ${key}` })).status;

    await page.open(`${service.url}/feeders`);
    await page.until(`location.host === '${new URL(service.url).host}'`);
    await showsDoor();
    await tabTo(page, '#proof');
    await page.type(UUID);
    await page.press('Enter');
    await page.until("document.getElementById('problem').innerText.startsWith('no feeder here has this UUID or key')");
    await choose(page, '#here');
    await showsText('You are the owner');
    const first = await keyIn();
    expect(first).toMatch(/^sqt_\w{36}$/);
    expect(await page.evaluate("document.getElementById('tier').innerText")).toMatch(/^Tier: contributor\. It feeds\./);
    expect(await page.evaluate("document.getElementById('health').innerText")).toMatch(/^(Connected|Fine)/);
    expect(await ofKey(first)).toBe(200);

    await tabTo(page, '#name');
    await page.type('Hill <top>');
    await tabTo(page, '#show-range');
    await page.press('Space');
    await choose(page, '#settings button');
    await showsText('Saved');
    await page.open(`${service.url}/feeders`);
    await page.until("document.querySelector('h1')?.innerText === 'Hill <top>' && document.getElementById('show-range').checked");
    expect(await keyIn()).toBe(first);

    await choose(page, 'details:has(#rotate) summary', '#rotate');
    await showsText('Here is your new key');
    const second = await keyIn();
    expect(second).not.toBe(first);
    expect([await ofKey(first), await ofKey(second)]).toEqual([200, 200]);
    await choose(page, 'details:has(#revoke) summary', '#revoke');
    await showsText('is revoked');
    const third = await keyIn();
    expect([await ofKey(first), await ofKey(second), await ofKey(third)]).toEqual([403, 403, 200]);
    expect(await fits()).toBe(true);
    await choose(page, '#leave');
    await showsDoor();
    await page.open(`${service.url}/feeders`);
    await showsDoor();
    expect(complaints()).toEqual([]);
    expect(service.output()).not.toContain(UUID);
    expect(await service.stop(), service.output()).toBe(0);
  });
});
