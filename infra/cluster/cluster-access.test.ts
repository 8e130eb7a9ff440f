// The access layer of a service of the cluster without Redis, over a log in a folder.
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, expect, it } from 'vitest';
import { openData } from '../../pipeline/log/open-data.ts';
import { parseOptions } from '../../pipeline/runtime/options.ts';
import { Readiness } from '../../pipeline/runtime/readiness.ts';
import { TEST_SECRET_FILE, testSecret } from '../../test/support/secret.ts';
import { temporaryFolder } from '../../test/support/service.ts';
import { type Closer, closeAll } from '../services/closing.ts';
import { openClusterAccess } from './cluster-access.ts';
import { pushServiceOptions } from './configuration.ts';

const logger = pino({ level: 'silent' });
const closers: Closer[] = [];
const folder = temporaryFolder();
afterEach(async () => {
  await closeAll(closers.splice(0), logger);
  folder.remove();
});

it('counts for this process alone, and says so', async () => {
  const { log, codecs } = await openData(folder.path, 'write');
  closers.push(() => log.close());
  const open = (profile: string) => {
    const env = {
      SQUITTER_KAFKA_BROKERS: 'a:1',
      SQUITTER_REGISTRY_URL: 'http://r',
      SQUITTER_SECRET_FILE: TEST_SECRET_FILE,
      SQUITTER_ACCESS: profile,
    };
    const { options } = parseOptions(pushServiceOptions, ['--unlimited', '198.51.100.0/24'], env);
    const [registry, readiness] = [new Registry(), new Readiness()];
    return openClusterAccess(options, { secret: testSecret, log, codecs, registry, logger, readiness }, closers).then((opened) => ({
      ...opened,
      registry,
      readiness,
    }));
  };
  const tiers = await open('tiers');
  expect(tiers.line).toBe(
    'tiers: 198.51.100.0/24 has none, all others have tiers (trial, free, contributor); limits hold for each process alone',
  );
  expect(tiers.readiness.warnings()).toEqual([expect.stringContaining('no Redis is configured (--redis)')]);
  expect(await tiers.registry.metrics()).toMatch(/^squitter_access_shared 0$/m);
  expect(await tiers.registry.metrics()).toMatch(/^squitter_access_refused_total\{code="access.wrong_key",tier="none"\} 0$/m);
  expect(tiers.access.identify('192.0.2.1', {})).toMatchObject({ tier: 'trial' });
  expect(tiers.access.identify('198.51.100.7', {})).toMatchObject({ tier: 'anonymous' });
  const free = await open('open');
  expect([free.line, free.readiness.warnings()]).toEqual(['open: nobody has limits', []]);
});
