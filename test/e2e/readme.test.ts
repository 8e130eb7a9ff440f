// README's list of things to do next: each block of commands runs unchanged, with a running service.
import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { historyEngine } from '../support/history-store.ts';
import { projectDir } from '../support/requirements.ts';
import { type RunningService, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const run = promisify(exec);
/** "The sky ten seconds ago", with two for the ticks of the fold. */
const LOOKED_BACK_MS = 12_000;
const engine = historyEngine();

const list = readFileSync(join(projectDir, 'README.md'), 'utf8').split('## Six things to do next')[1]!.split('\n## ')[0]!;
/** Title and commands of each item with commands. */
const items = [...list.matchAll(/^\d+\. \*\*(.*?)\*\*[\s\S]*?(?=^\d+\. |$(?![\s\S]))/gm)].map(
  ([text, title]) => [title!, /```sh\n([\s\S]*?)```/.exec(text)?.[1]] as const,
);

const folder = temporaryFolder();
let service: RunningService;
let readyMs: number;

/** The same commands with the port of this test. */
function here(commands: string): string {
  return commands.replaceAll('127.0.0.1:8080', new URL(service.url).host);
}

beforeAll(async () => {
  service = await startService(join(folder.path, 'data'), ['--simulate', '50'], engine.met ? { SQUITTER_NO_HISTORY: '' } : {});
  readyMs = Date.now();
});
afterAll(async () => {
  await service.stop();
  folder.remove();
});

describe('things to do next', () => {
  it('are six, the last of which ends the simulation', () => {
    expect(items).toHaveLength(6);
    expect(items.at(-1)![0]).toBe('Connect your receiver.');
    expect(list).toContain('Stop the service, then');
  });

  // The last item requires the reader's own receiver.
  it.each(items.slice(0, -1).filter(([, commands]) => commands !== undefined))('%s', async (_, commands) => {
    // Commands of a test come faster than those of a reader.
    if (commands!.includes('?at=')) await until(() => Date.now() - readyMs > LOOKED_BACK_MS);
    const env = { ...process.env, SQUITTER_DATA: join(folder.path, 'data') };
    const { stdout, stderr } = await run(`set -e\n${here(commands!)}`, { cwd: projectDir, env, maxBuffer: 1 << 26 });
    expect(stdout + stderr).not.toBe('');
    // A refusal of the service contains this. Without the store's engine, one command gets a refusal.
    if (engine.met) expect(stdout).not.toContain('about:blank');
  });
});
