// The past on the map in a real browser, over a service whose past is the same each time: an hour and more ago it shows what
// `at=` gives, it plays and returns to the present, and its pages look as kept pictures do. `RENEW_PICTURES=1 npx vitest run test/pages/map-past.test.ts`
// writes the pictures again: look at them before they are kept.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenBrowser, openBrowser, type Page, type PageOptions } from '../support/browser.ts';
import { historyEngine } from '../support/history-store.ts';
import { DRAWN_BASE, drawn, elsewhere, expectMoment, facts, WATCHED } from '../support/map-page.ts';
import { Pictures } from '../support/pictures.ts';
import { chromium, faketime, projectDir } from '../support/requirements.ts';
import { type RunningService, squitter, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

/** The service's clock shows 14 March 2026, 12:05. Its log has four minutes of simulated traffic, an hour and a half ago; nothing is received now. */
const RECORDED_NOW_MS = Date.parse('2026-03-14T12:05:00Z');
const LOG_FROM = '2026-03-14T10:40:00Z';
const LOG_MOMENT = '2026-03-14T10:42:30Z';
const AIRCRAFT = 60;
/** With this seed one of the aircraft has an emergency. */
const SEED = 36;

interface Recorded {
  readonly service: RunningService;
  /** The clock of the service less the real one, ms. */
  readonly offsetMs: number;
}

/** `library`: libfaketime, of which only services need the clock. */
async function startRecorded(folder: string, library: string): Promise<Recorded> {
  const env = clock(library, RECORDED_NOW_MS - Date.now());
  const [data, file] = [join(folder, 'data'), join(folder, 'traffic.beast')];
  const words = ['simulate', '--aircraft', String(AIRCRAFT), '--minutes', '4', '--seed', String(SEED), '--out', file];
  const simulated = await squitter(words, { env });
  const replayed = await squitter(['replay', file, '--data', data, '--speed', 'max', '--start', LOG_FROM], { env });
  for (const { code, stderr } of [simulated, replayed]) if (code !== 0) throw new Error(stderr);
  return start(folder, library);
}

/** The same with its history alone: the log is new. */
async function startWithoutLog(folder: string, library: string): Promise<Recorded> {
  rmSync(join(folder, 'data/log'), { recursive: true });
  return start(folder, library);
}

async function start(folder: string, library: string): Promise<Recorded> {
  // Work before this takes no time of the service's clock.
  const offsetMs = RECORDED_NOW_MS - Date.now();
  const env = { ...clock(library, offsetMs), SQUITTER_NO_HISTORY: '' };
  return { service: await startService(join(folder, 'data'), ['--no-simulation'], env), offsetMs };
}

const clock = (library: string, offsetMs: number) => ({
  ...{ LD_PRELOAD: library, FAKETIME: `${(offsetMs / 1000).toFixed(3)}s`, FAKETIME_DONT_FAKE_MONOTONIC: '1' },
});

/** For `init`: the clock of the page is that of the service. */
const clockOf = ({ offsetMs }: Recorded): string => `{ const now = Date.now; Date.now = () => now() + ${offsetMs}; }`;

const [program, library, engine] = [chromium(), faketime(), historyEngine()];
const missing = [program, library, engine].find(({ met }) => !met);
const DESKTOP = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };
const VIEW = 'lat=50.5&lon=5.5&zoom=5.6';

describe.skipIf(missing !== undefined)(`the past on the map ${missing?.reason ?? ''}`, () => {
  const folder = temporaryFolder();
  let recorded: Recorded;
  let browser: OpenBrowser;
  const pages: Page[] = [];
  const open = async (path: string, options: PageOptions = {}): Promise<Page> => {
    const init = `${clockOf(recorded)}${WATCHED}`;
    const page = await browser.open(`${recorded.service.url}/${path}`, { ...DESKTOP, ...options, init });
    pages.push(page);
    return page;
  };
  const text = (page: Page, selector: string): Promise<string> => page.tab.locator(selector).innerText();
  const isShown = "document.getElementById('time').dataset.state === 'shown'";

  beforeAll(async () => {
    [recorded, browser] = await Promise.all([startRecorded(folder.path, library.path), openBrowser(program.path)]);
  });
  afterAll(async () => {
    await browser?.close();
    await recorded?.service.stop();
    folder.remove();
  });

  test('has the aircraft and positions of seconds an hour and more ago', async () => {
    const page = await open(`?at=${LOG_MOMENT}&${VIEW}`);
    expect((await expectMoment(page, recorded.service.get, AIRCRAFT / 2)).ac.length).toBe(AIRCRAFT);
    expect(await text(page, '#time .words')).toMatch(/^8\d min ago, from the log \(exact\)$/);
    await page.press('<');
    await page.until("location.search.includes('at=2026-03-14T10:42:20Z')");
    await expectMoment(page, recorded.service.get, AIRCRAFT / 2);
    await page.context.close();
  });

  test('shows an emergency, its aircraft with track and facts of then, and the board of then', async () => {
    const page = await open(`?at=${LOG_MOMENT}&${VIEW}`);
    await page.until(isShown);
    const path = `at=${LOG_MOMENT}`;
    const list = (await (await recorded.service.get(`/v2/squawk/7700?${path}`)).json()) as { ac: Record<string, unknown>[] };
    const aircraft = list.ac[0]!;
    const callSign = String(aircraft['flight']).trim();
    await page.until("document.querySelectorAll('#marks .emergency').length === 1");
    expect(await text(page, '#emergencies')).toContain(`${callSign}: general emergency (squawk 7700)`);
    await page.tab.locator('#emergencies').getByRole('button', { name: 'Show' }).click();
    await page.until(`new URLSearchParams(location.search).get('aircraft') === '${aircraft['hex']}'`);
    await page.until(`document.querySelector('#side .panel:not([hidden]) h2')?.textContent === '${callSign}'`);
    expect(await text(page, '#side .panel:not([hidden]) .panel-head')).toContain('Emergency: general emergency');
    await page.until("document.querySelectorAll('#side .facts > div').length > 12");
    const shown = await facts(page);
    expect(shown.get('Squawk')).toBe('7700, general emergency');
    expect(shown.get('Coordinates')).toBe(`${Number(aircraft['lat']).toFixed(4)}, ${Number(aircraft['lon']).toFixed(4)}`);
    expect(shown.get('Altitude')).toBe(`${Number(aircraft['alt_baro']).toLocaleString('en')} ft`);
    expect(shown.get('Ground speed')).toBe(`${Math.round(Number(aircraft['gs']))} kt`);
    expect(shown.get('Messages')).toBe(Number(aircraft['messages']).toLocaleString('en'));
    await page.until("globalThis.sources['tracks'] > 0");
    await page.tab.locator('#emergencies').getByRole('button', { name: 'Close the notice' }).click();
    await page.until("document.querySelector('#emergencies p') === null && document.querySelectorAll('#marks .emergency').length === 1");
    await page.tab.locator('#side .panel-bar .close').click();
    await page.until("document.getElementById('side').hidden");
    for (const code of ['EHAM', 'EGLL', 'LFPG', 'EDDF']) {
      const board = (await (await recorded.service.get(`/v2/airport/${code}?${path}`)).json()) as Record<string, { flights: unknown[] }>;
      const [arrivals, departures] = ['arrivals', 'departures'].map((name) => board[name]!.flights.length);
      if (arrivals! + departures! === 0) continue;
      await page.open(`${recorded.service.url}/?${path}&${VIEW}&airport=${code}`);
      await page.until(`document.getElementById('side').innerText.includes('Arrivals: ${arrivals}')`);
      expect(await text(page, '#side')).toContain(`Departures: ${departures}`);
      expect((await facts(page)).get('Time')).toContain('2026-03-14 10:42:30 UTC');
      await page.context.close();
      return;
    }
    throw new Error('no airport has flights');
  });

  test('is moved through by keys and by the slider, plays, and returns to the present', async () => {
    const page = await open(`?at=2026-03-14T10:41:30Z&${VIEW}`);
    await page.until(isShown);
    await page.tab.locator('#time .slider').focus();
    await page.press('ArrowRight');
    await page.until("location.search.includes('at=2026-03-14T10:41:31Z')");
    await page.until(isShown);
    const before = await drawn(page);
    const pace = page.tab.getByLabel('Pace of playing');
    await pace.selectOption('5');
    await page.tab.locator('#time .play').click();
    const start = Date.parse('2026-03-14T10:41:31Z') / 1000;
    const moment = "Date.parse(document.querySelector('#time .moment').textContent.replace(',', '')) / 1000";
    await page.until("document.getElementById('time').dataset.state === 'playing'");
    await page.until(`${moment} > ${start + 10}`);
    const after = await drawn(page);
    const moved = [...before].filter(([hex, [lat, lon]]) => {
      const now = after.get(hex);
      return now !== undefined && (now[0] !== lat || now[1] !== lon);
    });
    expect(moved.length).toBeGreaterThan(AIRCRAFT / 4);
    // Half-hour files have slices of 30 s. The page itself pauses as soon as it may: seconds later the recording is at its end.
    await pace.selectOption('30');
    const isPlayed = `${moment} > ${start + 40} && globalThis.picture.count > ${AIRCRAFT / 2}`;
    await page.until(`${isPlayed} && (document.querySelector('#time .play').click(), true)`);
    const at = "Date.parse(new URLSearchParams(location.search).get('at')) / 1000";
    // The address follows some tenths of a second later.
    await page.until(`${isShown} && ${at} > ${start + 40}`);
    const paused = await page.evaluate<number>(at);
    const { x, y, width, height } = (await page.tab.locator('#time .slider').boundingBox())!;
    await page.tab.mouse.click(x + width / 2, y + height / 3);
    await page.until(`${at} !== ${paused}`);
    await page.tab.locator('#time .live').click();
    await page.until("document.getElementById('time').dataset.state === 'live' && !new URLSearchParams(location.search).has('at')");
    await page.context.close();
  });

  test('looks as kept pictures do, light and dark, on a desktop and on a phone', async () => {
    const pictures = new Pictures(join(projectDir, 'test/pages/pictures'), await browser.open('about:blank'));
    const at = `at=${LOG_MOMENT}&${VIEW}`;
    const selected = `at=${LOG_MOMENT}&lat=50.24&lon=8.5&zoom=6.5&aircraft=485631`;
    const sets: readonly (readonly [name: string, options: PageOptions, pages: Readonly<Record<string, string>>])[] = [
      [
        'desktop-light',
        { ...DESKTOP, colorScheme: 'light' },
        { map: `?${at}`, aircraft: `?${selected}`, table: `?${at}&table=1`, embed: `embed?${at}` },
      ],
      ['desktop-dark', { ...DESKTOP, colorScheme: 'dark' }, { map: `?${at}` }],
      ['phone-light', { ...PHONE, colorScheme: 'light' }, { map: `?${at}`, missing: 'no/such/page' }],
      ['phone-dark', { ...PHONE, colorScheme: 'dark' }, { map: `?${at}`, aircraft: `?${selected}` }],
    ];
    for (const [set, options, paths] of sets) {
      let page: Page | null = null;
      for (const [name, path] of Object.entries(paths)) {
        if (page === null) page = await open(path, options);
        else await page.open(`${recorded.service.url}/${path}`);
        if (path.startsWith('?')) await page.until(isShown);
        if (path.includes('at=')) await page.until(DRAWN_BASE);
        await pictures.expect(`${set}-${name}`, page);
      }
      await page!.context.close();
    }
    expect(Object.keys(pictures.differences).length).toBeLessThanOrEqual(10);
  });

  test('asked nobody else, and had nothing to complain about', () => {
    const complaints = pages.flatMap((page) => page.complaints);
    // A page of the pictures is missing, and on a busy machine a moment may take longer than a request may: then it is asked for again.
    expect(complaints.filter((each) => !/status of (404|503)/.test(each))).toEqual([]);
    const requests = pages.flatMap((page) => page.requests);
    expect(elsewhere(requests, `${recorded.service.url}/`)).toEqual([]);
  });

  test('comes from the history store when its frames are gone, and says so', async () => {
    await recorded.service.stop();
    recorded = await startWithoutLog(folder.path, library.path);
    await until(async () => (await recorded.service.get(`/v2/all?at=${LOG_MOMENT}`)).status === 200, 'the moment');
    const page = await open(`?at=${LOG_MOMENT}&${VIEW}`);
    const { from_history, ac } = await expectMoment(page, recorded.service.get, AIRCRAFT / 2);
    expect([from_history, ac.length > AIRCRAFT / 2]).toEqual([true, true]);
    expect(await text(page, '#time .words')).toMatch(/^8\d min ago, from the history \(the newest position/);
    await page.context.close();
  });
});
