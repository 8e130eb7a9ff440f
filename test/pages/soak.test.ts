// A minute of `npm run soak` with pages: its figures say that all of them were served. How fast is for a run of hours on a quiet machine.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { chromium, projectDir } from '../support/requirements.ts';

const browser = chromium();

/** Its last JSON; the exit status must be 0. */
async function soak(...words: string[]): Promise<Record<string, unknown>> {
  const program = ['dist/modules/test/soak/run.js', ...words, '--minutes', '1'];
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: projectDir });
  return JSON.parse(stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('}') + 1)) as Record<string, unknown>;
}

describe('a minute', () => {
  test('of 1,000 pages on the stream: none loses its connection', async () => {
    const { closed, pageTicksPerS, pages } = await soak('--pages', '1000', '--aircraft', '500');
    expect([pages, closed]).toEqual([1000, 0]);
    expect(pageTicksPerS).toBeGreaterThan(0);
  });

  test.skipIf(!browser.met)(
    `of the map in a browser, with keys pressed: pictures, and no complaint ${browser.met ? '' : browser.reason}`,
    async () => {
      const { complaints, pictures } = await soak('--browser', '--aircraft', '300');
      expect(complaints).toEqual([]);
      expect(pictures).toBeGreaterThan(5);
    },
  );
});
