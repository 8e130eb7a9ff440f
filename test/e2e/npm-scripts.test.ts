// `npm start` under a supervisor that signals only one process: no process stays, and the log is closed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openData } from '../../pipeline/log/open-data.ts';
import { freePortFlags } from '../support/free-port-flags.ts';
import { projectDir } from '../support/requirements.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/** Running processes of a group. */
function processesOf(group: number): Process[] {
  const found: Process[] = [];
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state, parent, own] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(own) === group && state !== 'Z') found.push({ pid: Number(name), parent: Number(parent), group });
    } catch {
      // It has ended in the meantime.
    }
  }
  return found;
}

it.each([
  ['npm', (npm: number) => npm],
  ['what npm started', (npm: number) => processesOf(npm).find(({ parent }) => parent === npm)!.pid],
])('SIGTERM to %s alone ends the service in order', async (_, victimOf) => {
  const data = temporaryFolder();
  const flags = ['--data', data.path, ...freePortFlags, '--simulate', '5'];
  const npm = spawn('npm', ['start', '--', ...flags], {
    cwd: projectDir,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const group = npm.pid!;
  // Behind its last output, which comes after its end.
  const closed = once(npm, 'close');
  let text = '';
  for (const stream of [npm.stdout, npm.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  try {
    await until(() => text.includes('Squitter is live'), 'the service is live').catch(() => expect.fail(text));
    process.kill(victimOf(group), 'SIGTERM');
    await until(() => processesOf(group).length === 0).catch(() => expect.fail(`${text}\n${JSON.stringify(processesOf(group))}`));
    await closed;
    expect(text).toContain('"msg":"stopped"');
    const { log } = await openData(data.path, 'write');
    await log.close();
  } finally {
    if (processesOf(group).length > 0) process.kill(-group, 'SIGKILL');
    data.remove();
  }
});
