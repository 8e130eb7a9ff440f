// The metrics of a running service match METRICS.md, and pass Prometheus's check.
import { execFileSync } from 'node:child_process';
import { afterAll, expect, test } from 'vitest';
import { historyEngine } from '../support/history-store.ts';
import { expectDocumented, servedMetrics } from '../support/metrics.ts';
import { debianProgram } from '../support/requirements.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const promtool = debianProgram('promtool', 'prometheus');
const folder = temporaryFolder();
afterAll(folder.remove);

const engine = historyEngine();

test(`the embedded service serves the metrics of METRICS.md ${promtool.reason}`, async () => {
  const service = await startService(folder.path, ['--simulate', '50'], { SQUITTER_NO_HISTORY: '' });
  await service.get('/v2/all', { 'accept-encoding': 'br' });
  // The workers send their numbers once a second.
  const unsampled = (page: string) => servedMetrics(page).flatMap(({ name, labels }) => (labels === null ? [name] : []));
  let text = '';
  await until(async () => {
    text = await (await service.get('/metrics')).text();
    return unsampled(text).length === 0;
  }, 'samples of all metrics').catch(() => {});
  expect(unsampled(text)).toEqual([]);
  expect(await service.stop()).toBe(0);

  const isServed = (services: string, name: string): boolean =>
    !services.includes('of the cluster') && (engine.met || !/^squitter_(history|project)_/.test(name));
  expectDocumented('the service', text, isServed);
  if (promtool.met) {
    const ours = text.split('\n').filter((line) => /^(# (HELP|TYPE) )?squitter_/.test(line));
    execFileSync(promtool.path, ['check', 'metrics'], { input: `${ours.join('\n')}\n`, stdio: ['pipe', 'pipe', 'pipe'] });
  }
});
