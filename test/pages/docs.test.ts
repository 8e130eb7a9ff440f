// The documentation in a real browser that can only reach the service: it lists the API, sends a request and shows the response.
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPage, type Page } from '../support/browser.ts';
import { createTestApi, type TestApi } from '../support/live-view.ts';
import { chromium } from '../support/requirements.ts';
import { temporaryFolder } from '../support/service.ts';

const browser = chromium();

describe.skipIf(!browser.met)(`the documentation ${browser.met ? '' : browser.reason}`, () => {
  const profile = temporaryFolder();
  let api: TestApi;
  let page: Page;
  let url = '';
  beforeAll(async () => {
    api = await createTestApi(30);
    await api.app.listen({ host: '127.0.0.1', port: 0 });
    url = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
    page = await openPage(browser.path, profile.path, `${url}/docs`);
    await page.until("document.body?.innerText.includes('All aircraft that are tracked now') === true");
  });
  afterAll(async () => {
    await page.close();
    await api.app.close();
    profile.remove();
  });

  const click = (text: string, selector = 'button, a') =>
    page.evaluate(`[...document.querySelectorAll('${selector}')].find((each) => each.textContent.trim().startsWith('${text}')).click()`);
  const shows = (text: string) => page.until(`document.body.innerText.includes(${JSON.stringify(text)})`);

  test('has an entry for every group of the contract, and leads to its operations', async () => {
    const groups = [...new Set(Object.values(api.contract.document.paths).flatMap(({ get, post }) => (get ?? post)!.tags))];
    const shown = await page.evaluate<string>("document.querySelector('#api :is(.t-doc__sidebar, aside, nav)').innerText");
    expect(groups.filter((group) => !shown.includes(group))).toEqual([]);
    await page.evaluate("location.hash = '#tag/location-and-proximity/GET/v2/aircraft/nearest'");
    await shows('The nearest aircraft');
    await shows('degrees WGS 84, decimal point');
  });

  test('sends a request and shows the response', async () => {
    await page.evaluate("location.hash = '#tag/network-statistics/GET/v2/stats'");
    await shows('Lightweight network statistics');
    await page.until("[...document.querySelectorAll('button')].some((each) => /Test Request.*\\/v2\\/stats\\)/.test(each.textContent))");
    await page.evaluate(
      "[...document.querySelectorAll('button')].find((each) => /Test Request.*\\/v2\\/stats\\)/.test(each.textContent)).click()",
    );
    await page.until("[...document.querySelectorAll('button')].some((each) => each.textContent.trim().startsWith('Send'))");
    await click('Send');
    await page.until("/\\b200\\b/.test(document.querySelector('[role=dialog]')?.innerText ?? '')");
    await page.until("/aircraft_count/.test(document.querySelector('[role=dialog]').innerText)");
  });

  test('loads nothing from other hosts, and the browser reports no errors', () => {
    expect(page.requests.filter((address) => !address.startsWith(`${url}/`) && !/^(data|blob):/.test(address))).toEqual([]);
    expect(page.complaints).toEqual([]);
  });
});
