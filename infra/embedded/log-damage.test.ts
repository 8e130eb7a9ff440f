// Log lines name each damaged stretch once. Readiness names it until retention has deleted it.
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { Damage } from '../../pipeline/log/damage.ts';
import { LogDamageWatch } from './log-damage.ts';

const damage = (partition: number, from: number): Damage => ({
  ...{ topic: 'positions', partition, from, to: from + 2 },
  detail: 'the checksum is wrong',
});

test('a stretch is named until retention has deleted it, and is counted for good', async () => {
  const lines: object[] = [];
  const met = [damage(0, 7), damage(1, 3)];
  const earliest = [0, 0];
  const bounds = async (_: string, partition: number) => ({ earliest: earliest[partition]!, next: 100 });
  const watch = new LogDamageWatch({ warn: (fields: object) => lines.push(fields) }, () => [met, undefined], bounds);
  const registry = new Registry();
  watch.register(registry);
  expect(watch.reason()).toMatch(
    /^the log is damaged: positions\/0 offsets 7 to 9: the checksum is wrong, and 1 more: .*squitter log repair/,
  );
  expect(lines).toHaveLength(2);

  earliest[0] = 10;
  await expect.poll(() => watch.reason()).toMatch(/^the log is damaged: positions\/1 offsets 3 to 5: the checksum is wrong: /);
  // One of its records is left.
  earliest[1] = 5;
  expect(watch.reason()).toContain('positions/1');
  earliest[1] = 6;
  await expect.poll(() => watch.reason()).toBeNull();
  expect(await registry.metrics()).toContain('squitter_log_damage_total{kind="batch"} 2');
  expect(lines).toHaveLength(2);
  watch.close();
});
