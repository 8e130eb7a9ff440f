// The page of the streams in a real browser: against a hub that loses frames, ends connections and starts again, and against the running service.
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HandOver } from '../../query-api/http/connections/hand-over.ts';
import { type OpenBrowser, openBrowser, type Page } from '../support/browser.ts';
import { createTestApi, type TestApi } from '../support/live-view.ts';
import { elsewhere } from '../support/map-page.ts';
import { PushStand } from '../support/push-stand.ts';
import { chromium } from '../support/requirements.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const program = chromium();
const profiles = ['plain', 'named', 'events', 'binary'] as const;
const FIRST_TYPE = "document.querySelector('#rows tr td:nth-child(2)')?.textContent";

const textOf = (page: Page, id: string): Promise<string> => page.evaluate<string>(`document.getElementById('${id}').textContent`);
const countOf = async (page: Page, id: string): Promise<number> => Number(await textOf(page, id));
const click = (page: Page, id: string): Promise<unknown> => page.evaluate(`document.getElementById('${id}').click()`);

/** Chooses a profile and a filter, and connects. */
const follow = (page: Page, profile: string, filter = ''): Promise<unknown> =>
  page.evaluate(`document.getElementById('profile').value = '${profile}', document.getElementById('filter').value = '${filter}',
    document.getElementById('connect').click()`);

describe.skipIf(!program.met)(`the page of the streams ${program.met ? '' : program.reason}`, () => {
  let browser: OpenBrowser;
  beforeAll(async () => {
    browser = await openBrowser(program.path);
  });
  afterAll(() => browser?.close());

  describe('follows a hub', () => {
    let stand: PushStand;
    let api: TestApi;
    let page: Page;
    beforeAll(async () => {
      stand = await PushStand.open();
      const upstream = async () => {
        const [host, port] = stand.address.split(':') as [string, string];
        return { addresses: [{ host, port: Number(port) }], hop: '' };
      };
      api = await createTestApi(1, { handOver: new HandOver(100, upstream) });
      await api.app.listen({ host: '127.0.0.1', port: 0 });
      page = await browser.open(
        `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}/stream?profile=events&filter=hex%3Dffffff`,
      );
      await page.until("document.getElementById('state')?.textContent === 'connected'");
      expect(await textOf(page, 'aircraft')).toBe('0');
    });
    afterAll(async () => {
      await page.close();
      await stand.stop();
      await api.app.close();
    });

    test.each(profiles)('%s', async (name) => {
      const agrees = async (what: string): Promise<void> => {
        const count = Object.keys(await stand.truth('')).length;
        await until(async () => (await countOf(page, 'aircraft')) === count, what);
      };
      const tick = async (): Promise<void> => {
        stand.tick();
        await new Promise((resolve) => setTimeout(resolve, 100));
      };
      const connected = (): Promise<void> => page.until("document.getElementById('state').textContent === 'connected'");
      await follow(page, name);
      await page.until("document.querySelector('#rows tr') !== null");
      await connected();
      await agrees('the full');
      for (let count = 0; count < 3; count += 1) await tick();
      await page.until(`${FIRST_TYPE} === 'delta'`);
      await agrees('deltas');
      stand.losesNext = true;
      await tick();
      await tick();
      await page.until("document.getElementById('gaps').textContent === '1'");
      await agrees('what a lost frame had');
      await click(page, 'break');
      await tick();
      await agrees('what was missed meanwhile');
      await connected();
      if (name !== 'plain') await page.until("Number(document.getElementById('resumed').textContent) > 0");
      await stand.restart();
      await page.until("document.getElementById('state').textContent !== 'connected'");
      await connected();
      await tick();
      await agrees('a full of the next process');
      await page.until("document.getElementById('bytes-graph').firstElementChild.getAttribute('d') !== ''");
      if (name !== 'plain') await follow(page, name, 'zones=50,0;50,10');
      if (name !== 'plain') await page.until("document.getElementById('streams').textContent.split(', ').length === 2");
      await click(page, 'stop');
      await until(() => stand.openSockets === 0, 'no connections');
    });

    test.each(profiles)('%s: says why a filter is refused, and does not ask again', async (name) => {
      await follow(page, name, 'lat=91&lon=0');
      await page.until("document.getElementById('problem').textContent.startsWith('lat cannot be')");
      expect(await textOf(page, 'state')).toBe('stopped');
    });
  });

  test('is a page for the limits in every profile, and so is the live page', async () => {
    const data = temporaryFolder();
    const service = await startService(data.path, ['--simulate', '40', '--access', 'tiers']);
    const topics = (name: string) => service.metric('squitter_push_topics', { class: name });
    const page = await browser.open(`${service.url}/`);
    await page.until("/^\\d+ aircraft/.test(document.getElementById('counts')?.textContent)");
    for (const [n, name] of profiles.entries()) {
      // Topics are kept for a minute.
      await page.open(`${service.url}/stream?profile=${name}&filter=hex%3D00000${n}`);
      // The binary profile has a full before its socket: the browser complains of one that is closed while it connects.
      await page.until(
        "document.getElementById('streams')?.textContent.includes(' at ') && document.getElementById('state').textContent === 'connected'",
      );
      expect([name, await topics('page'), await topics('normal')]).toEqual([
        name,
        // One is the map's.
        n + 2,
        0,
      ]);
      await click(page, 'stop');
      await until(async () => (await service.metric('squitter_push_sockets')) === 0, 'no connections');
    }
    // A second stream of this address has another interval than the snapshot that it fetched as a page: it gets a full on the socket.
    await page.open(`${service.url}/stream?profile=binary`);
    await page.until("document.getElementById('state')?.textContent === 'connected'");
    const second = await browser.open(`${service.url}/stream?profile=binary`);
    await second.until(`document.getElementById('state')?.textContent === 'connected' && ${FIRST_TYPE} === 'delta'`);
    expect([await topics('normal'), await textOf(second, 'connections')]).toEqual([1, '1']);
    expect([...page.complaints, ...second.complaints]).toEqual([]);
    expect(elsewhere([...page.requests, ...second.requests], service.url)).toEqual([]);
    for (const each of [page, second]) await each.close();
    await service.stop();
    data.remove();
  });
});
