// A minute of `npm run soak` with the page of the map: its figures show pictures and no complaint. How fast is for a run of hours on a quiet machine.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { chromium, projectDir } from '../support/requirements.ts';

const browser = chromium();

/** Its last JSON; the exit status must be 0. */
async function soak(...words: string[]): Promise<Record<string, unknown>> {
  const program = ['dist/modules/test/soak/run.js', ...words, '--minutes', '1'];
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: projectDir });
  return JSON.parse(stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('}') + 1)) as Record<string, unknown>;
}

test.skipIf(!browser.met)(
  `a minute of the map in a browser, with keys pressed: pictures, and no complaint ${browser.met ? '' : browser.reason}`,
  async () => {
    const { complaints, pictures } = await soak('--browser', '--aircraft', '300');
    expect(complaints).toEqual([]);
    expect(pictures).toBeGreaterThan(5);
  },
);
