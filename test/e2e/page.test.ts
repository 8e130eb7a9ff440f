// The live page in a real browser: aircraft rows appear, and the page says that they are simulated.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { chromium } from '../support/requirements.ts';
import { startService, temporaryFolder } from '../support/service.ts';

const run = promisify(execFile);
const browser = chromium();

/** Headless, offline, without a profile; prints the page after `waitMs` of page time. */
async function renderedHtml(url: string, profile: string, waitMs: number): Promise<string> {
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
  const page = [
    '--disable-component-update',
    '--disable-sync',
    `--user-data-dir=${profile}`,
    `--virtual-time-budget=${waitMs}`,
    '--dump-dom',
    url,
  ];
  const { stdout } = await run(browser.path, [...flags, ...page], { maxBuffer: 64 * 1024 * 1024, timeout: 60_000 });
  return stdout;
}

describe.skipIf(!browser.met)(`the live page ${browser.met ? '' : browser.reason}`, () => {
  const data = temporaryFolder();
  const profile = temporaryFolder();
  afterAll(() => {
    data.remove();
    profile.remove();
  });

  it('lists aircraft and says that they are simulated', { timeout: 120_000 }, async () => {
    const service = await startService(data.path, ['--simulate', '25']);
    const count = async (): Promise<number> =>
      ((await (await service.get('/v2/stats')).json()) as { aircraft_count?: number }).aircraft_count ?? 0;
    while ((await count()) < 20) await new Promise((resolve) => setTimeout(resolve, 200));
    const html = await renderedHtml(`${service.url}/`, profile.path, 5000);
    const hexes = [...html.matchAll(/<t[dh][^>]*>(~?[0-9a-f]{6})<\/t[dh]>/g)];
    expect(hexes.length).toBeGreaterThanOrEqual(20);
    expect(html).toMatch(/simulated/i);
    expect(await service.stop()).toBe(0);
  });
});
