// `npm start` under a supervisor that signals only one process: no process stays, and the log is closed.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openData } from '../../pipeline/log/open-data.ts';
import { freePortFlags, TestProgram, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Running processes of a group. */
function processesOf(group: number): { readonly pid: number; readonly parent: number }[] {
  const found: { pid: number; parent: number }[] = [];
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [state, parent, own] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(own) === group && state !== 'Z') found.push({ pid: Number(name), parent: Number(parent) });
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
  const npm = new TestProgram(['npm', 'start', '--', '--data', data.path, ...freePortFlags, '--simulate', '5']);
  const group = npm.child.pid!;
  await npm.match(/Squitter is live/);
  process.kill(victimOf(group), 'SIGTERM');
  await until(() => processesOf(group).length === 0, 'the end of all processes');
  await npm.ended;
  expect(npm.output()).toContain('"msg":"stopped"');
  const { log } = await openData(data.path, 'write');
  await log.close();
  data.remove();
});
