// The documentation in a real browser that reaches nothing but the service: it lists the API, asks the service and shows what it answered.
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
    await page.until("document.querySelectorAll('.operation').length > 0");
  }, 60_000);
  afterAll(async () => {
    await page.close();
    await api.app.close();
    profile.remove();
  });

  /** Opens an operation, fills its form, sends it, and waits for the answer. */
  async function tryOperation(id: string, values: Readonly<Record<string, string>>): Promise<{ status: string; body: string }> {
    await page.evaluate(`document.getElementById('${id}').open = true`);
    await page.until(`document.querySelector('#${id} form') !== null`);
    for (const [name, value] of Object.entries(values))
      await page.evaluate(`document.querySelector('#${id} [name=${name}]').value = ${JSON.stringify(value)}`);
    await page.evaluate(`document.querySelector('#${id} .status')?.remove(); document.querySelector('#${id} .send').click()`);
    await page.until(`document.querySelector('#${id} .status') !== null`);
    const text = (selector: string) => page.evaluate<string>(`document.querySelector('#${id} ${selector}').textContent`);
    return { status: await text('.status'), body: await text('.status ~ pre.answer') };
  }

  test('lists every operation of the contract', async () => {
    const listed = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.operation > summary > code')].map((code) => code.textContent)",
    );
    expect([...listed].sort()).toEqual(Object.keys(api.contract.document.paths).sort());
  });

  test('asks the service and shows what it answered', async () => {
    const { status, body } = await tryOperation('aircraftNearest', { lat: '10', lon: '20', limit: '2' });
    expect(status).toMatch(/^200 OK/);
    expect(JSON.parse(body)).toMatchObject({ total: expect.any(Number), radius_nm: 250 });
    expect((await tryOperation('stats', {})).body).toContain('"aircraft_count": 30');
  });

  test('shows a problem as one', async () => {
    const { status, body } = await tryOperation('hex', { hex: '<img src=x>' });
    expect(status).toMatch(/^400/);
    expect(JSON.parse(body)).toMatchObject({ code: 'bad-value' });
    expect(await page.evaluate("document.querySelectorAll('img').length")).toBe(0);
  });

  test('tells the members of an answer, and an example', async () => {
    const text = await page.evaluate<string>("document.getElementById('hex').textContent");
    expect(text).toContain('barometric vertical rate, ft/min');
    expect(text).toContain('An answer that was given');
  });

  test('needs nothing from elsewhere, and the browser has nothing to complain about', () => {
    expect(page.requests.filter((address) => !address.startsWith(`${url}/`) && !address.startsWith('data:'))).toEqual([]);
    expect(page.complaints.filter((text) => !/status of 400/.test(text))).toEqual([]);
  });
});
