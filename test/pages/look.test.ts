// All pages in a real browser: they fit a phone, their menu opens by the keyboard, the choice of colours stays, axe finds nothing serious.
// The page of the network, and the documentation, which lists the API, sends a request and shows the response.
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPage, type Page, seriousOf } from '../support/browser.ts';
import { createTestApi, type TestApi } from '../support/live-view.ts';
import { chromium } from '../support/requirements.ts';

const browser = chromium();
const PHONE = 360;

describe.skipIf(!browser.met)(`the look of pages ${browser.met ? '' : browser.reason}`, () => {
  let api: TestApi;
  let page: Page;
  let url = '';
  beforeAll(async () => {
    api = await createTestApi(30);
    await api.app.listen({ host: '127.0.0.1', port: 0 });
    url = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
    page = await openPage(browser.path, `${url}/contribute`);
    await page.resize(PHONE);
  });
  afterAll(async () => {
    await page.close();
    await api.app.close();
  });

  const open = async (path: string): Promise<void> => {
    await page.open(`${url}/${path}`);
    await page.until(`location.pathname === '/${path}' && document.readyState === 'complete' && document.querySelector('h1') !== null`);
  };
  const theme = () => page.evaluate<string | undefined>('document.documentElement.dataset.theme');
  const isDark = () => page.evaluate<boolean>('getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every((part) => part < 40)');
  it('has colours that the reader chooses, on every page', async () => {
    await open('contribute');
    await page.until("document.getElementById('theme').hidden === false");
    expect([await theme(), await isDark()]).toEqual([undefined, false]);
    for (const choice of ['light', 'dark']) {
      await page.evaluate("document.getElementById('theme').click()");
      expect([await theme(), await isDark()]).toEqual([choice, choice === 'dark']);
    }
    for (const path of ['network', 'no/such/page', 'contribute']) {
      await open(path);
      expect([path, await isDark(), await seriousOf(page)]).toEqual([path, true, []]);
    }
    await page.evaluate("document.getElementById('theme').click()");
    expect([await theme(), await isDark(), await seriousOf(page)]).toEqual([undefined, false, []]);
  });

  it('has a menu of pages on a phone, and fits it', async () => {
    for (const path of ['network', 'stream', 'feeders', 'contribute', 'no/such/page']) {
      await open(path);
      expect([path, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([path, true]);
      const isShown = () => page.evaluate<boolean>("document.querySelector('#pages a').offsetWidth > 0");
      expect(await isShown()).toBe(false);
      await page.evaluate("document.querySelector('.menu').focus()");
      await page.press('Enter');
      expect(await isShown()).toBe(true);
      const addresses = await page.evaluate<string[]>("[...document.querySelectorAll('#pages a')].map((link) => link.href)");
      expect(addresses).toEqual(['', 'network', 'stream', 'bulk/', 'docs', 'feeders', 'contribute'].map((name) => `${url}/${name}`));
      const current = await page.evaluate<string[]>("[...document.querySelectorAll('#pages [aria-current]')].map((link) => link.href)");
      expect(current).toEqual(path === 'no/such/page' ? [] : [`${url}/${path}`]);
    }
  });

  it('plots the network over time, with gaps, and says the same in words', async () => {
    await open('network');
    await page.until("document.getElementById('live').innerText.includes('30')");
    await page.evaluate(`(() => {
      const real = window.fetch;
      window.fetch = (address, options) => {
        const { pathname, searchParams } = new URL(address);
        if (pathname !== '/v2/stats/history') return real(address, options);
        const [from, to, step] = ['from', 'to', 'step'].map((name) => Number(searchParams.get(name)));
        const sample = { covered: step, aircraft: 41, with_position: 30.5, messages_per_second: 300, signal: { median: -21, p10: -31, p90: -9, aircraft_count: 40 } };
        const history = [0, 1, 2, 5, 6].map((n) => ({ ...sample, t: from + n * step }));
        return Promise.resolve(Response.json({ total: history.length, from, to, step, kept: {}, history }));
      };
    })()`);
    const isEmpty = () => page.evaluate<boolean>("!document.getElementById('no-history').hidden");
    expect(await isEmpty()).toBe(true);
    await page.evaluate(`document.querySelector('[data-span="7d"]').click()`);
    await page.until("document.querySelectorAll('#plots canvas').length === 3");
    // Samples without a first position are a history, too.
    expect(await isEmpty()).toBe(false);
    expect(await page.evaluate("[location.search, document.querySelector('#spans [aria-current]').innerText]")).toEqual([
      '?span=7d',
      '7 d',
    ]);
    expect(await page.evaluate("[...document.querySelectorAll('#plots .plot')].map((plot) => plot.ariaLabel)")).toEqual([
      'Aircraft: all 41 to 41 at a time, last 41; with a position 31 to 31 at a time, last 31',
      'Messages: 300 to 300 a second, last 300',
      'Signal: median -21 to -21 dBFS, last -21; 10 % below -31 to -31 dBFS, last -31; 90 % below -9 to -9 dBFS, last -9',
      'Sources: no data',
    ]);
    // The newest first; steps without a sample have no row.
    const minutes = await page.evaluate<number[]>(
      "[...document.querySelectorAll('#values tbody tr')].map((row) => Date.parse(row.cells[0].textContent.replace(' UTC', 'Z')) / 60000)",
    );
    expect(minutes.slice(1).map((minute, i) => minutes[i]! - minute)).toEqual([15, 45, 15, 15]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await seriousOf(page)).toEqual([]);
  });

  it('documents every group of the contract with its operations, and sends requests', async () => {
    await page.open(`${url}/docs`);
    await page.until("document.body?.innerText.includes('All aircraft that are tracked now') === true");
    const groups = [...new Set(Object.values(api.contract.document.paths).flatMap(({ get, post }) => (get ?? post)!.tags))];
    await page.resize(1280);
    const shown = await page.evaluate<string>("document.querySelector('#api :is(.t-doc__sidebar, aside, nav)').innerText");
    expect(groups.filter((group) => !shown.includes(group))).toEqual([]);
    await page.evaluate("location.hash = '#tag/network-statistics/GET/v2/stats'");
    for (const name of ['Test Request.*\\/v2\\/stats\\)', '^Send']) {
      const button = `[...document.querySelectorAll('button')].find((each) => /${name}/.test(each.textContent.trim()))`;
      await page.until(`${button} !== undefined`);
      await page.evaluate(`${button}.click()`);
    }
    await page.until("/\\b200\\b[^]*aircraft_count/.test(document.querySelector('[role=dialog]')?.innerText ?? '')");
  });

  it('asks no other host, and keeps the policy of pages', () => {
    expect(page.requests.filter((address) => !address.startsWith(`${url}/`) && !/^(data|blob):/.test(address))).toEqual([]);
    // The browser reports each refusal.
    expect(page.complaints.filter((text) => !/status of 4\d\d|WebSocket connection/.test(text))).toEqual([]);
  });
});
