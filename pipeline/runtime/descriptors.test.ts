// Shares of connections under a limit of file descriptors.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { connectionShares, descriptorLimit } from './descriptors.ts';

const wanted = { http: 10_000, feeders: 1024 };

it('grants what is wanted when it fits, else a share to each kind: a subscriber takes two descriptors, gRPC at most a twelfth', () => {
  for (const limit of [null, 20_000]) expect(connectionShares(wanted, limit)).toEqual({ ...wanted, push: 0, grpc: 0 });
  const all = { ...wanted, push: 10_000, grpc: 1000 };
  expect(connectionShares(all, 40_000)).toEqual(all);
  expect(connectionShares(all, 300)).toEqual({ http: 71, feeders: 35, push: 26, grpc: 14 });
  expect(connectionShares({ ...wanted, push: 20 }, 300).push).toBe(20);
  expect(connectionShares({ http: 64, feeders: 1024 }, 1000)).toMatchObject({ http: 64, feeders: 808 });
  for (let limit = 0; limit < 40_000; limit += 13) {
    const { http, feeders, push, grpc } = connectionShares(all, limit);
    if (limit > 300) expect(http + feeders + 2 * push + grpc).toBeLessThanOrEqual(limit - limits.descriptorsReserved);
    expect(Math.min(http, feeders, push, grpc)).toBeGreaterThan(0);
  }
});

it.skipIf(process.platform !== 'linux')('reads the limit of the process', () => {
  const file = join(import.meta.dirname, 'descriptors.ts');
  const code = `import(${JSON.stringify(file)}).then((m) => console.log(m.descriptorLimit()))`;
  const script = `ulimit -n 321; exec "$0" --experimental-strip-types --no-warnings -e '${code}'`;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  expect(descriptorLimit()).toBeGreaterThan(0);
  if (major > 22 || (major === 22 && minor >= 6))
    expect(execFileSync('sh', ['-c', script, process.execPath], { encoding: 'utf8' }).trim()).toBe('321');
});
