// When writing is held, and when it resumes. A disk that refuses by itself: test/contract/log-limits.test.ts; one that is too small: test/fault/disk-full.test.ts.
import { expect, it } from 'vitest';
import { limits } from '../../../schemas/limits/index.ts';
import { DiskGuard } from './disk-guard.ts';

const MIB = 1024 ** 2;

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
