// When writing is held, and when it resumes.
import { describe, expect, it } from 'vitest';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { checkDiskSize, DiskGuard } from './disk-guard.ts';

const MIB = 1024 ** 2;
const NO_SPACE = new SquitterError('log.no_space', { path: 'here', detail: 'ENOSPC' });

function setup(totalMib: number, freeMib: number, reserveBytes?: number) {
  const disk = { free: freeMib * MIB, nowMs: 0 };
  const guard = new DiskGuard({
    path: 'here',
    ...(reserveBytes === undefined ? {} : { reserveBytes }),
    nowMs: () => disk.nowMs,
    query: () => ({ totalBytes: totalMib * MIB, freeBytes: disk.free }),
  });
  const later = (free: number): void => {
    disk.free = free * MIB;
    disk.nowMs += limits.logDiskCheckMs;
  };
  return { guard, later };
}

describe('the disk guard', () => {
  it('keeps 256 MiB, a sixteenth of a smaller disk, or the given reserve', () => {
    expect(setup(100_000, 50_000).guard.state().reserveBytes).toBe(limits.logDiskReserveBytes);
    expect(setup(64, 64).guard.state().reserveBytes).toBe(4 * MIB);
    expect(setup(64, 64, 9 * MIB).guard.state()).toMatchObject({ reserveBytes: 9 * MIB, freeBytes: 64 * MIB, held: null });
  });

  it('holds while less than the reserve is free, and resumes only when a quarter more is free', () => {
    const { guard, later } = setup(64, 4);
    guard.check();
    later(3);
    expect(() => guard.check()).toThrow(expect.objectContaining({ code: 'log.no_space', retriable: true }));
    expect(() => guard.check()).toThrow('3.0 MiB are free, 4.0 MiB are kept in reserve');
    later(4.5);
    expect(() => guard.check()).toThrow();
    later(5);
    guard.check();
    expect(guard.state().held).toBe(null);
  });

  it('lets one write a second through to a disk that refused, until one succeeds', () => {
    const { guard, later } = setup(64, 64);
    guard.check();
    guard.failed(new SquitterError('log.closed'));
    guard.check();
    guard.failed(NO_SPACE);
    expect(() => guard.check()).toThrow('the disk refuses');
    later(64);
    guard.check();
    expect(() => guard.check()).toThrow();
    guard.failed(NO_SPACE);
    later(64);
    guard.check();
    guard.wrote();
    guard.check();
    expect(guard.state().held).toBe(null);
  });
});

it('a disk that is too small is refused, whatever is free; the folder need not exist', () => {
  const check = (mib: number): void => checkDiskSize('/there/is/no/such/folder', () => ({ totalBytes: mib * MIB, freeBytes: 0 }));
  expect(() => check(255)).toThrow(expect.objectContaining({ code: 'log.disk_too_small', retriable: false }));
  expect(() => check(255)).toThrow('has 255.0 MiB, and the service needs at least 256 MiB');
  check(256);
});
