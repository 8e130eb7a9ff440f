// The embedded LimitStore against the contract, and what it promises beyond it: kills, full disks and damage.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterAll, describe, expect, it } from 'vitest';
import { EmbeddedLimitStore } from '../../query-api/access/embedded-limit-store.ts';
import { limits } from '../../schemas/limits/index.ts';
import { projectDir } from '../support/requirements.ts';
import { smallDisks } from '../support/small-disk.ts';
import { address, feeder, limitStoreContract } from './limit-store.contract.ts';

const root = mkdtempSync(join(tmpdir(), 'squitter-limits-'));
afterAll(() => rmSync(root, { recursive: true }));
const child = join(projectDir, 'dist/modules/test/contract/limit-store-child.js');
const NOW_MS = Date.parse('2026-03-02T12:00:00Z');

const opened = (name: string, nowMs = () => NOW_MS): EmbeddedLimitStore => new EmbeddedLimitStore({ folder: join(root, name), nowMs });

limitStoreContract({
  name: 'embedded',
  open: async (name, nowMs, addressesMax) =>
    new EmbeddedLimitStore({ folder: join(root, name), nowMs, ...(addressesMax === undefined ? {} : { addressesMax }) }),
  elapse: async () => {},
  propertyRuns: 100,
  stepMs: 1000,
  alone: 'one process has the data folder',
});

describe('the embedded LimitStore', () => {
  it('saves once a second, and what is saved survives `kill -9`', async () => {
    expect(limits.callersSaveMs).toBe(1000);
    const folder = join(root, 'killed');
    const program = spawn(process.execPath, [child, folder, 'kill'], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(program.stdout, 'data');
    // Two saves at least.
    await new Promise((resolve) => setTimeout(resolve, 3 * limits.callersSaveMs));
    const exit = once(program, 'exit');
    program.kill('SIGKILL');
    await exit;
    const store = opened('killed');
    expect(store.visit(feeder(0xab), NOW_MS).bytes).toBeGreaterThan(10);
    expect(store.takeTurn(feeder(0xab), 20_000, NOW_MS)).toBeGreaterThan(0);
    await store.close();
  });

  it('counts without a folder, and says that this process is alone', async () => {
    const store = new EmbeddedLimitStore({ folder: null, nowMs: () => NOW_MS });
    expect([store.takeTurn(feeder(1), 20_000, NOW_MS), store.takeTurn(feeder(1), 20_000, NOW_MS)]).toEqual([0, 18_000]);
    expect([store.lease(feeder(1), 'a', 1), store.lease(feeder(1), 'b', 1)]).toEqual([true, false]);
    store.visit(feeder(1), NOW_MS);
    await store.forget(feeder(1));
    expect(store.takeTurn(feeder(1), 20_000, NOW_MS)).toBe(0);
    expect(store.problem()).toContain('for this process alone');
    expect(store.stats()).toMatchObject({ isShared: false, feeders: 1 });
    await store.close();
  });

  it('counts no turn of a clock that was ahead, is for its user alone, and refuses a damaged folder and one that cannot be made', async () => {
    const store = opened('own');
    expect(store.takeTurn(feeder(1), 20_000, NOW_MS + 3_600_000)).toBe(0);
    expect(store.takeTurn(feeder(1), 20_000, NOW_MS)).toBe(0);
    expect(store.takeTurn(feeder(1), 20_000, NOW_MS + 1)).toBeGreaterThan(0);
    for (let i = 0; i < 5000; i += 1) store.visit(address(i), NOW_MS);
    await store.close();
    const modes = ['', 'data.mdb', 'lock.mdb'].map((name) => statSync(join(root, 'own', name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600]);
    const file = join(root, 'own', 'data.mdb');
    const whole = readFileSync(file);
    truncateSync(file, whole.length / 2);
    expect(() => opened('own')).toThrow(/the counts of callers in .*own are damaged: /);
    writeFileSync(file, Buffer.from('something else'));
    expect(() => opened('own')).toThrow(expect.objectContaining({ code: 'limits.damaged' }));
    writeFileSync(file, whole);
    await opened('own').close();
    const rows = open<Buffer, Buffer>({ path: join(root, 'own'), noSubdir: false, keyEncoding: 'binary', encoding: 'binary' });
    await rows.put(Buffer.from('123456789'), Buffer.alloc(36, 0xff));
    await rows.close();
    expect(() => opened('own')).toThrow(expect.objectContaining({ code: 'limits.damaged' }));
    expect(() => opened('own/data.mdb/limits')).toThrow(expect.objectContaining({ code: 'limits.not_writable' }));
  });

  const disks = smallDisks();
  it.skipIf(!disks.met)(`goes on while the disk is full, and saves everything afterwards ${disks.reason}`, () => {
    const folder = join(root, 'disk');
    mkdirSync(folder);
    const script = [
      `mount -t tmpfs -o size=12m tmpfs ${folder}`,
      `head -c 11500000 /dev/zero > ${folder}/ballast`,
      `exec ${process.execPath} ${child} ${folder}/limits ${folder}/ballast 2>/dev/null`,
    ].join(' && ');
    const output = execFileSync('unshare', ['--mount', '--map-root-user', 'sh', '-c', script], { encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual({
      problem: expect.stringMatching(/the counts of callers cannot be saved in .*: no disk space is left$/),
      waitsMs: [0, 18_000],
      addresses: 50_000,
      feeders: 1,
    });
    expect(existsSync(join(folder, 'limits'))).toBe(false);
  });
});
