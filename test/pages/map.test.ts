// The page of the map in a real browser, as people use it: aircraft appear, are found, filtered, selected and listed, from the keyboard and on a phone; the page
// opens without a network. Nothing is asked of another host, and nothing is complained about in the console.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type OpenBrowser, openBrowser, type Page, type PageOptions, seriousOf } from '../support/browser.ts';
import { COUNTED, drawn, elsewhere, query, WATCHED } from '../support/map-page.ts';
import { chromium } from '../support/requirements.ts';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';

const browser = chromium();
const AIRCRAFT = 60;

describe.skipIf(!browser.met)(`the map ${browser.met ? '' : browser.reason}`, () => {
  const folder = temporaryFolder();
  let service: RunningService;
  let opened: OpenBrowser;
  let page: Page;
  const requests: string[] = [];
  const complaints: string[] = [];
  const open = async (query = '', options: PageOptions = {}): Promise<void> => {
    page = await opened.open(`${service.url}/${query}`, options);
    await page.until(COUNTED);
  };
  const text = (selector: string): Promise<string> => page.tab.locator(selector).innerText();

  beforeAll(async () => {
    [service, opened] = await Promise.all([
      startService(folder.path, ['--simulate', String(AIRCRAFT), '--no-history']),
      openBrowser(browser.path),
    ]);
  });
  afterEach(async () => {
    requests.push(...page.requests);
    complaints.push(...page.complaints);
    await page.close();
  });
  afterAll(async () => {
    await opened?.close();
    await service?.stop();
    folder.remove();
  });

  test('finds what one types and selects it, from the keyboard alone', async () => {
    await open();
    await page.until(`parseInt(document.getElementById('counts').textContent) === ${AIRCRAFT}`);
    const { ac } = (await (await service.get('/v2/all?limit=1')).json()) as { ac: { hex: string }[] };
    const { hex } = ac[0]!;
    await page.press('/');
    await page.type(hex);
    await page.until("document.querySelectorAll('#results [role=option]').length > 0");
    await page.press('Enter');
    await page.until(`new URLSearchParams(location.search).get('aircraft') === '${hex}'`);
    await page.press('Escape');
    await page.until("!location.search.includes('aircraft=')");
    await page.press('n');
    await page.until("location.search.includes('aircraft=')");
    await page.press('?');
    expect(await text('#shortcuts')).toContain('search');
  });

  test('filters in step with the table, and the address is the view', async () => {
    await open('?table=1&sort=alt&lat=50&lon=5&zoom=6');
    await page.until("document.querySelectorAll('#table tr[data-hex]').length > 5");
    await page.tab.getByRole('button', { name: 'Filters' }).click();
    await page.tab.getByLabel('Altitude from').fill('10000');
    await page.tab.getByLabel('Altitude from').press('Tab');
    await page.until("/^\\d+ of \\d+ aircraft/.test(document.getElementById('counts').textContent)");
    await page.until("location.search.includes('f.alt=10000-')");
    const rows = await page.evaluate<number>("Number(document.querySelector('#table table').getAttribute('aria-rowcount')) - 1");
    await page.until(`document.getElementById('counts').textContent.startsWith('${rows} of ')`);
    const altitudes = await page.evaluate<string[]>(
      "[...document.querySelectorAll('#table td[data-name=alt]')].map((cell) => cell.textContent)",
    );
    const feet = altitudes.map((each) => Number.parseInt(each.replace(',', ''), 10)).filter((each) => !Number.isNaN(each));
    expect(Math.min(...feet)).toBeGreaterThanOrEqual(10_000);
    expect(feet).toEqual(feet.toSorted((a, b) => a - b));
    await page.tab.locator('#table tr[data-hex] button').first().click();
    await page.until("document.querySelector('#table tr[aria-selected=true]') !== null");
    const address = await page.evaluate<string>('location.href');
    await page.open(address);
    await page.until("/^\\d+ of \\d+ aircraft/.test(document.getElementById('counts')?.textContent)");
    expect(await query(page, 'sort')).toBe('alt');
    expect(await page.tab.locator('.filter-chip').count()).toBeGreaterThan(0);
  });

  test('works on a phone with touches', async () => {
    await open('?table=1', { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });
    await page.until("document.querySelectorAll('#table tr[data-hex]').length > 3");
    const height = (): Promise<number> => page.evaluate("document.getElementById('table').getBoundingClientRect().height");
    const before = await height();
    await page.tab.locator('#table .handle').tap();
    await page.until(`document.getElementById('table').getBoundingClientRect().height > ${before + 100}`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    const small = await page.evaluate<string[]>(
      "[...document.querySelectorAll('button, select, input, a')].filter((each) => each.offsetParent !== null && !each.closest('table')).filter((each) => each.getBoundingClientRect().height < 32).map((each) => each.outerHTML.slice(0, 80))",
    );
    expect(small).toEqual([]);
  });

  test('shows a selected aircraft above the sheet of a phone, with a camera that glides', async () => {
    const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true, reducedMotion: 'no-preference' } as const;
    await open('?lat=50&lon=5&zoom=5', { ...phone, init: WATCHED });
    await page.until('globalThis.picture.count > 20');
    const [hex] = [...(await drawn(page)).keys()];
    await page.open(`${page.tab.url()}&aircraft=${hex}`);
    await page.until("document.getElementById('side').offsetTop > 100");
    await page.tab.getByRole('button', { name: 'Centre' }).tap();
    await page.until(`new URLSearchParams(location.search).get('zoom') > 5`);
    await page.until('globalThis.picture.count > 0');
    const [lat, lon, zoom] = await Promise.all(['lat', 'lon', 'zoom'].map(async (name) => Number(await query(page, name))));
    const at = (await drawn(page)).get(hex!)!;
    const pixels = (degrees: number): number => (degrees / 360) * 512 * 2 ** zoom!;
    const mercator = (degrees: number): number => (Math.atanh(Math.sin((degrees * Math.PI) / 180)) * 180) / Math.PI;
    const [x, y] = [pixels(at[1] - lon!), pixels(mercator(lat!) - mercator(at[0]))];
    const [stage, sheet] = await page.evaluate<[number, number]>(
      "[document.getElementById('stage').clientHeight, document.getElementById('side').offsetHeight]",
    );
    // It flies on while the page is read.
    expect(Math.abs(x)).toBeLessThan(20);
    expect(Math.abs(y + sheet / 2)).toBeLessThan(20);
    expect(sheet).toBeGreaterThan(stage / 3);
  });

  test('has nothing serious for axe to report', async () => {
    await open('?table=1');
    await page.tab.getByRole('button', { name: 'Filters' }).click();
    expect(await seriousOf(page)).toEqual([]);
  });

  test('opens without a network, and says how old its picture is', async () => {
    await open();
    await page.until('navigator.serviceWorker.controller !== null');
    await page.until("caches.has('last-picture')");
    await page.context.setOffline(true);
    await page.tab.reload();
    await page.until("/aircraft/.test(document.getElementById('counts')?.textContent)");
    await page.until("/ old/.test(document.getElementById('counts').textContent)");
    page.complaints.length = 0;
  });

  test('asked nobody else, and had nothing to complain about', () => {
    expect(complaints).toEqual([]);
    expect(elsewhere(requests, 'http://127.0.0.1:')).toEqual([]);
  });
});
