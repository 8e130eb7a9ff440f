// Missing programs are reported in one line, before anything is downloaded or started.
import { afterEach, describe, expect, it } from 'vitest';
import { startKafka } from './kafka.ts';
import { missingPrograms } from './missing.ts';
import { startRedis } from './redis.ts';

const path = process.env['PATH'];
afterEach(() => {
  process.env['PATH'] = path;
});

describe('missing programs', () => {
  it('are reported in one line each, with the name of the package', () => {
    process.env['PATH'] = '/nonexistent';
    const lines = missingPrograms();
    expect(lines.map((line) => /apt-get install (\S+)\)$/.exec(line)?.[1])).toEqual(['openjdk-17-jre-headless', 'maven', 'redis-server']);
  });

  it('end a start with the same line', async () => {
    process.env['PATH'] = '/nonexistent';
    const java = 'java is missing: Kafka needs 17 or newer (Debian: apt-get install openjdk-17-jre-headless)';
    await expect(startKafka()).rejects.toThrow(expect.objectContaining({ code: 'local.missing_program', message: java }));
    await expect(startRedis()).rejects.toThrow(/^redis-server is missing/);
  });
});
