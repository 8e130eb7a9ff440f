// kill -9 of the service and of its history store, and a frozen store, under load: live queries continue, and afterwards the history equals the log.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { historyEngine } from '../support/history-store.ts';
import { type RunningService, squitter, startService, temporaryFolder } from '../support/service.ts';
import { createSmallDisk, smallDisks } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const engine = historyEngine();
const disks = smallDisks();
/** Ten of each for the figures of a release. */
const KILLS = Number(process.env['SQUITTER_HISTORY_KILLS'] ?? 2);
const FLAGS = ['--simulate', '300'];
const WITH_HISTORY = { SQUITTER_NO_HISTORY: '' };

const storePid = (service: RunningService): number =>
  Number(execFileSync('pgrep', ['-P', String(service.child.pid), '-f', 'store-process'], { encoding: 'utf8' }).trim());

describe.skipIf(!engine.met)(`the history ${engine.reason}`, () => {
  const folder = temporaryFolder();
  let service: RunningService | null = null;
  afterEach(async () => {
    await service?.kill();
    folder.remove();
  });

  const start = async (): Promise<RunningService> => {
    service = await startService(folder.path, FLAGS, WITH_HISTORY);
    return service;
  };
  const text = async (running: RunningService, path: string): Promise<string> => (await running.get(path)).text();
  const sumOf = async (running: RunningService, name: string): Promise<number> =>
    [...(await text(running, '/metrics')).matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].reduce(
      (sum, [, n]) => sum + Number(n),
      0,
    );
  const rows = (running: RunningService) => sumOf(running, 'squitter_project_rows_total');

  it('begins when a store that did not start with the service can be started', async () => {
    // A file where the engine wants its folder.
    const obstacle = join(folder.path, 'history', 'engine');
    mkdirSync(join(folder.path, 'history'), { recursive: true });
    writeFileSync(obstacle, '');
    const running = await start();
    const past = '/v2/aircraft/400001/flights';
    // The service does not wait for the store.
    await until(async () => /the history store in .* does not start/.test(await text(running, '/readyz')), 'a warning');
    expect((await running.get('/readyz')).status).toBe(200);
    const refused = await running.get(past);
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('"code":"history-unavailable"')]);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(await sumOf(running, 'squitter_history_store_up')).toBe(0);
    expect((await running.get('/v2/all')).status).toBe(200);
    // Attempts go on.
    await until(async () => (await sumOf(running, 'squitter_history_store_restarts_total')) >= 2, 'attempts');

    rmSync(obstacle);
    await until(async () => (await rows(running)) > 0, 'rows');
    await until(async () => (await running.get(past)).status === 200, 'an answer about the past');
    expect(await sumOf(running, 'squitter_history_store_up')).toBe(1);
    expect(await running.stop()).toBe(0);
  });

  it.skipIf(!disks.met)(
    `stands still on a full disk of its own, loses nothing, and continues when there is room ${disks.reason}`,
    async () => {
      const at = join(folder.path, 'history');
      mkdirSync(at, { recursive: true });
      const disk = await createSmallDisk(160, at);
      try {
        service = await startService(folder.path, FLAGS, WITH_HISTORY, undefined, disk.launcher);
        const running = service;
        await until(async () => (await rows(running)) > 0, 'rows');
        // Not the reserve alone: nothing at all is left.
        disk.fill(0);
        const isRefused = async (): Promise<boolean> => (await sumOf(running, 'squitter_history_inserts_refused')) === 1;
        await until(isRefused, 'refused inserts');
        await until(async () => (await sumOf(running, 'squitter_project_refused')) > 0, 'a batch that waits');
        const full = await rows(running);
        await until(async () => /MiB are free, .* are kept in reserve/.test(await text(running, '/readyz')), 'a warning');
        expect((await running.get('/readyz')).status).toBe(200);
        // Live aircraft move on, and positions wait in the log.
        const positions = await sumOf(running, 'squitter_fold_positions_total');
        await until(async () => (await sumOf(running, 'squitter_fold_positions_total')) > positions + 500, 'live positions');
        expect((await running.get('/v2/all')).status).toBe(200);
        expect((await running.get('/v2/aircraft/400001/flights')).status).toBe(200);
        expect(await rows(running)).toBe(full);
        expect(await sumOf(running, 'squitter_project_expired_total')).toBe(0);

        disk.clear();
        await until(async () => (await rows(running)) > full + 500, 'rows after there was room');
        await until(async () => !(await isRefused()), 'the end of the refusals');
        // Outside of the service's mount namespace, the folder is another one.
        copyFileSync(join(disk.path, 'address.json'), join(at, 'address.json'));
        const audit = await squitter(['audit', '--history', '--data', folder.path]);
        expect(audit.stdout, audit.stderr + running.output()).toMatch(/^audit of the history: equal: [1-9]\d* positions/m);
        expect(await running.stop()).toBe(0);
      } finally {
        await service?.kill();
        disk.remove();
      }
    },
    300_000,
  );

  it(
    `equals the log after ${KILLS} kills of the service, ${KILLS} of the store, and a store that was frozen`,
    async () => {
      // Positions from before there was a history: they are filled in from the log.
      const without = await startService(folder.path, FLAGS);
      await until(async () => (await sumOf(without, 'squitter_fold_positions_total')) > 100, 'positions');
      expect(await without.stop()).toBe(0);

      let running = await start();
      for (let i = 0; i < KILLS; i += 1) {
        await until(async () => (await rows(running)) > 0, 'rows of this run');
        process.kill(storePid(running), 'SIGKILL');
        // Anywhere in the restart of the store.
        await sleep(400 * i);
        await running.kill();
        running = await start();
        const before = await rows(running);
        await until(async () => (await rows(running)) > before, 'rows after the restart');
      }

      const pid = storePid(running);
      process.kill(pid, 'SIGSTOP');
      await until(async () => (await text(running, '/readyz')).includes('the history of adsb.positions.v1'), 'a warning');
      const lag = (): Promise<number> => sumOf(running, 'squitter_project_lag_records');
      const begun = await until(async () => (await lag()) > 2 && (await lag()), 'a lag');
      // The response to an insert from before the freeze may be counted after it.
      const later = await until(async () => (await lag()) > begun + 2 && (await lag()), 'a larger lag');
      const frozen = await rows(running);
      // Later statistics: the log grows, and the rows do not.
      await until(async () => (await lag()) > later + 2, 'a larger lag');
      expect(await rows(running)).toBe(frozen);
      expect((await running.get('/readyz')).status).toBe(200);
      expect((await running.get('/v2/all')).status).toBe(200);
      process.kill(pid, 'SIGCONT');
      await until(async () => (await rows(running)) > frozen, 'rows after the freeze');

      const audit = await squitter(['audit', '--history', '--data', folder.path]);
      expect(audit.stdout, audit.stderr + running.output()).toMatch(/^audit of the history: equal: [1-9]\d* positions/m);
      expect(audit.stdout.match(/^positions partition \d+: records 0 to/gm)).toHaveLength(2);
      expect(audit.code).toBe(0);
      expect(await running.stop(), running.output()).toBe(0);
    },
    60_000 + 60_000 * KILLS,
  );
});
