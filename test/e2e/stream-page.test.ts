// The page of the streams in a real browser: against a hub that loses frames, ends connections and starts again, and against the running service.
import { execFile } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { HandOver } from '../../query-api/http/connections/hand-over.ts';
import { openPage, type Page } from '../support/browser.ts';
import { createTestApi, type TestApi } from '../support/live-view.ts';
import { PushStand } from '../support/push-stand.ts';
import { chromium } from '../support/requirements.ts';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const browser = chromium();
const profiles = ['plain', 'named', 'events', 'binary'] as const;
const [FIRST_TYPE, FIRST_BYTES] = [
  "document.querySelector('#rows tr td:nth-child(2)')?.textContent",
  "document.querySelector('#rows tr td:nth-child(5)')?.textContent",
];

const textOf = (page: Page, id: string): Promise<string> => page.evaluate<string>(`document.getElementById('${id}').textContent`);
const countOf = async (page: Page, id: string): Promise<number> => Number(await textOf(page, id));
const click = (page: Page, id: string): Promise<unknown> => page.evaluate(`document.getElementById('${id}').click()`);

describe.skipIf(!browser.met)(`the page of the streams ${browser.reason}`, () => {
  describe('follows a hub', () => {
    let stand: PushStand;
    let api: TestApi;
    let url: string;
    let page: Page | null = null;
    const profile = temporaryFolder();
    beforeAll(async () => {
      stand = await PushStand.open();
      const upstream = async () => {
        const [host, port] = stand.address.split(':') as [string, string];
        return { addresses: [{ host, port: Number(port) }], hop: '' };
      };
      api = await createTestApi(1, { handOver: new HandOver(100, upstream) });
      await api.app.listen({ host: '127.0.0.1', port: 0 });
      url = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}/stream`;
    });
    afterEach(async () => {
      await page?.close();
      page = null;
    });
    afterAll(async () => {
      await stand.stop();
      await api.app.close();
      profile.remove();
    });

    test.each(profiles)('%s', { timeout: 90_000 }, async (name) => {
      const open = await openPage(browser.path, profile.path, `${url}?profile=${name}`);
      page = open;
      const agrees = async (what: string): Promise<void> => {
        const count = Object.keys(await stand.truth('')).length;
        await until(async () => (await countOf(open, 'aircraft')) === count, what);
      };
      const tick = async (): Promise<void> => {
        stand.tick();
        await new Promise((resolve) => setTimeout(resolve, 100));
      };
      await open.until("document.getElementById('state')?.textContent === 'connected' && document.querySelector('#rows tr') !== null");
      await agrees('the full');
      for (let count = 0; count < 3; count += 1) await tick();
      await open.until(`${FIRST_TYPE} === 'delta'`);
      await agrees('deltas');
      stand.losesNext = true;
      await tick();
      await tick();
      await open.until("document.getElementById('gaps').textContent === '1'");
      await agrees('what a lost frame had');
      await click(open, 'break');
      await tick();
      await agrees('what was missed meanwhile');
      await open.until("document.getElementById('state').textContent === 'connected'");
      if (name !== 'plain') await open.until("Number(document.getElementById('resumed').textContent) > 0");
      await stand.restart();
      await open.until("document.getElementById('state').textContent !== 'connected'");
      await open.until("document.getElementById('state').textContent === 'connected'");
      await tick();
      await agrees('a full of the next process');
      await open.until("document.getElementById('bytes-graph').firstElementChild.getAttribute('d') !== ''");
      await click(open, 'stop');
      await until(() => stand.openSockets === 0, 'no connections');
    });

    test('says why a filter is refused, and does not ask again', { timeout: 60_000 }, async () => {
      for (const name of profiles) {
        const open = await openPage(browser.path, profile.path, `${url}?profile=${name}&filter=lat%3D91%26lon%3D0`);
        page = open;
        await open.until("document.getElementById('problem')?.textContent.startsWith('lat cannot be') === true");
        expect(await textOf(open, 'state')).toBe('stopped');
        await open.close();
        page = null;
      }
    });
  });

  describe('follows the running service', () => {
    let service: RunningService;
    const data = temporaryFolder();
    const profile = temporaryFolder();
    beforeAll(async () => {
      service = await startService(data.path, ['--simulate', '40', '--push-tick', '1']);
    }, 60_000);
    afterAll(async () => {
      await service.stop();
      data.remove();
      profile.remove();
    });

    test.each(profiles)('%s', { timeout: 60_000 }, async (name) => {
      const page = await openPage(browser.path, profile.path, `${service.url}/stream?profile=${name}&filter=min_altitude%3D1000`);
      await page.until(`${FIRST_TYPE} === 'delta' && Number(document.getElementById('aircraft').textContent) > 10`);
      expect(Number((await page.evaluate<string>(FIRST_BYTES)).replace(/\D/g, ''))).toBeGreaterThan(50);
      await page.evaluate("document.querySelector('details').open = true");
      expect(JSON.parse((await textOf(page, 'frame')).replace(/…$/, '') || '{}')).toMatchObject({ type: 'delta' });
      await page.until("/^\\d+ frames in the last minute/.test(document.getElementById('frames-rate').textContent)");
      // Nothing from elsewhere, and nothing against the page's policy.
      expect(page.complaints).toEqual([]);
      const origin = new URL(service.url).host;
      expect(page.requests.filter((request) => new URL(request).host !== origin && !request.startsWith('data:'))).toEqual([]);
      await page.close();
    });

    test('and so does curl', async () => {
      const { stdout } = await run('sh', ['-c', `curl -sN --max-time 4 '${service.url}/v2/stream?min_altitude=1000' || true`], {
        maxBuffer: 1 << 26,
      });
      const events = [...stdout.matchAll(/^event: (\w+)\nid: (\S+):(\d+)\ndata: \{"type":"(\w+)","stream":"(\S+?)","seq":(\d+)/gm)];
      expect(events.length).toBeGreaterThan(1);
      for (const [, event, streamId, seqId, type, stream, seq] of events) expect([event, streamId, seqId]).toEqual([type, stream, seq]);
      expect(new Set(events.map(([, event]) => event))).toEqual(new Set(['full', 'delta']));
    });
  });
});
