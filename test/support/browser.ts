// Opens pages in Chromium with playwright-core. Only one host can be reached.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page as Tab } from 'playwright-core';
import { until } from './until.ts';

const RESPONSE_MS_MAX = 120_000;

export interface Page {
  /** The page as playwright has it: locators, touches, screenshots. */
  readonly tab: Tab;
  readonly context: BrowserContext;
  /** The value of an expression in the page; promises are awaited. */
  evaluate<T>(expression: string): Promise<T>;
  /** Shows another address. */
  open(url: string): Promise<void>;
  /** Makes the window so wide, in CSS pixels. */
  resize(width: number): Promise<void>;
  /** Presses a key, such as `Tab`, `Enter`, `Space` or `Shift+?`. */
  press(key: string): Promise<void>;
  /** Types a text where the focus is. */
  type(text: string): Promise<void>;
  /** Waits until an expression is true. */
  until(expression: string): Promise<void>;
  /** Every address that the page requested. */
  readonly requests: readonly string[];
  /** Complaints of the browser and of scripts: violations of the page's policy, failed requests, warnings and errors in the console. */
  readonly complaints: string[];
  close(): Promise<void>;
}

/** Options of a page. `init` runs before scripts of the page. */
export type PageOptions = BrowserContextOptions & { readonly init?: string };

/** Software draws the map: few pixels, and no camera that glides. */
const WINDOW = { viewport: { width: 1280, height: 600 }, reducedMotion: 'reduce' } as const;

/** Only one host resolves, and WebGL2 is drawn by software. */
const FLAGS = [
  ...[
    '--no-sandbox',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
  ...['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu-rasterization'],
];

/** Opens `url` in a new browser; only the host of `url` resolves. */
export async function openPage(program: string, url: string): Promise<Page> {
  const browser = await openBrowser(program, [], new URL(url).hostname);
  return { ...(await browser.open(url)), close: browser.close };
}

export type OpenBrowser = Awaited<ReturnType<typeof openBrowser>>;

/** Starts a browser of several pages, which share nothing: each is as if in a new profile. Only `hostname` can be reached. `more`: flags of Chromium. */
export async function openBrowser(executablePath: string, more: readonly string[] = [], hostname = '127.0.0.1') {
  const args = [...FLAGS, `--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE ${hostname}`, ...more];
  const browser = await chromium.launch({ executablePath, args });
  return {
    open: async (url: string, { init, ...options }: PageOptions = {}): Promise<Page> =>
      openTab(await browser.newContext({ ...WINDOW, ...options }), url, init),
    close: (): Promise<void> => browser.close(),
  };
}

async function openTab(context: BrowserContext, url: string, init?: string): Promise<Page> {
  context.setDefaultTimeout(RESPONSE_MS_MAX);
  const tab = await context.newPage();
  const [requests, complaints]: [string[], string[]] = [[], []];
  context.on('request', (request) => requests.push(request.url()));
  context.on('console', (message) => {
    if (['warning', 'error'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  if (init !== undefined) await context.addInitScript(init);
  await tab.goto(url);
  return {
    ...{ tab, context, requests, complaints },
    evaluate: (expression) => tab.evaluate(expression),
    open: async (next) => void (await tab.goto(next)),
    resize: (width) => tab.setViewportSize({ width, height: WINDOW.viewport.height }),
    press: (key) => tab.keyboard.press(key),
    type: (text) => tab.keyboard.insertText(text),
    // The policy of the pages refuses what playwright's own waiting evaluates later.
    until: async (expression) => {
      const isTrue = () => tab.evaluate<boolean>(expression);
      await until(isTrue, expression, RESPONSE_MS_MAX).catch((cause) =>
        Promise.reject(new Error(`${expression}: ${tab.url()} ${complaints.join()}`, { cause })),
      );
    },
    close: () => context.close(),
  };
}

/** What axe finds in a page that is serious, with the first place of each. */
export async function seriousOf(page: Page): Promise<string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(`${axe}; undefined`);
  const violations = await page.evaluate<{ id: string; impact: string; nodes: { html: string }[] }[]>(
    'axe.run().then(({ violations }) => violations)',
  );
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
