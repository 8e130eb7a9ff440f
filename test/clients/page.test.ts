// The pages in a real browser: aircraft rows appear, the page says that they are simulated, and every width shows whole columns; a map of others below /tar1090/.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openPage } from '../support/browser.ts';
import { chromium } from '../support/requirements.ts';
import { startService, temporaryFolder } from '../support/service.ts';

const browser = chromium();
/** A phone, a tablet, a desk, a wall. */
const WIDTHS = [390, 768, 1280, 1920];

describe.skipIf(!browser.met)(`the live page ${browser.met ? '' : browser.reason}`, () => {
  const data = temporaryFolder();
  const profile = temporaryFolder();
  const map = temporaryFolder();
  const files = temporaryFolder();
  afterAll(() => {
    for (const folder of [data, profile, map, files]) folder.remove();
  });

  it('lists aircraft, says that they are simulated, and fits every width', async () => {
    // A map as tar1090 is: scripts in the page, data below it.
    writeFileSync(
      join(map.path, 'index.html'),
      `<title>map</title><script>fetch('data/aircraft.json').then((r) => r.json()).then(({ aircraft }) => { document.title = aircraft.length + ' aircraft'; });</script>`,
    );
    const service = await startService(data.path, ['--simulate', '25', '--tar1090', map.path, '--write-json', files.path]);
    const page = await openPage(browser.path, profile.path, `${service.url}/`);
    await page.until("document.querySelectorAll('#rows .hex').length >= 20");
    await page.until("!document.getElementById('simulated').hidden");
    for (const width of WIDTHS) {
      await page.resize(width);
      await page.until(`innerWidth === ${width}`);
      const columns = await page.evaluate<string[]>(
        "[...document.querySelectorAll('#head th')].filter((head) => head.offsetWidth > 0).map((head) => head.innerText.trim())",
      );
      expect(columns).toEqual(expect.arrayContaining(['Hex', 'Call sign', 'Altitude ft', 'Speed kt']));
      expect(
        await page.evaluate("document.querySelector('.table').scrollWidth - document.querySelector('.table').clientWidth"),
        `${width}`,
      ).toBe(0);
    }
    await page.open(`${service.url}/bulk/`);
    // Complete: with its styles.
    await page.until("document.querySelector('main.prose p') !== null && document.readyState === 'complete'");
    const left = (selector: string) => page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().left`);
    expect(await left('main p')).toBe(await left('h1'));
    await page.open(`${service.url}/tar1090`);
    await page.until('/^\\d\\d aircraft$/.test(document.title)');
    expect(JSON.parse(readFileSync(join(files.path, 'receiver.json'), 'utf8'))).toMatchObject({ readsb: true });
    expect(page.complaints.filter((text) => !text.includes('404'))).toEqual([]);
    await page.close();
    expect(await service.stop()).toBe(0);
  });
});
