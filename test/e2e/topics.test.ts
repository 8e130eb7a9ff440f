// `squitter topics` on a real broker: tells what is missing, creates it, and refuses what contradicts the topic table.
import { expect, test } from 'vitest';
import { topicIds, topics } from '../../schemas/topics.ts';
import { describeWithKafka, sharedKafka } from '../support/kafka.ts';
import { squitter } from '../support/service.ts';

describeWithKafka('squitter topics', () => {
  const brokers = sharedKafka();
  const run = (...args: string[]) => squitter(['topics', '--brokers', brokers()[0]!, ...args]);

  test('tells what is missing, creates it, and then finds nothing to say', async () => {
    const before = await run('--copies', '1');
    expect(before.code).toBe(1);
    for (const id of topicIds) expect(before.stderr).toContain(`${topics[id].name}: missing`);
    const created = await run('--copies', '1', '--create');
    expect([created.code, created.stderr]).toEqual([0, '']);
    expect(created.stdout).toMatch(/^adsb\.frames\.v1 +12 partitions, 1 copies, 7 days$/m);
    const after = await run('--copies', '1');
    expect([after.code, after.stdout]).toEqual([0, created.stdout]);
  });

  test('refuses topics that are not as asked for, and names every difference', async () => {
    const { code, stdout, stderr } = await run('--copies', '3', '--partitions', '24', '--create');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('adsb.frames.v1: partitions is 12, wanted 24');
    expect(stderr).toContain('adsb.frames.v1: copies is 1, wanted 3');
    expect(stderr).toContain('adsb.feeders.v1: min.insync.replicas is 1, wanted 2');
  });
});
