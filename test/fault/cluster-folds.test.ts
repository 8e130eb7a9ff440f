// Folds that are killed, frozen, added and removed on a real Kafka under load, while a consumer reads: nothing is lost, duplicated or out of order.
import { afterEach, expect, it } from 'vitest';
import { randomNumbers } from '../../infra/cluster/runner/chaos.ts';
import { sumOf } from '../../infra/cluster/runner/metrics-page.ts';
import { SESSION_MS } from '../support/cluster.ts';
import { FedCluster } from '../support/fed-cluster.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';

const SEED = Number(process.env['SQUITTER_FAULT_SEED'] ?? (Date.now() % 1_000_000) + 1);
const PARTITIONS = 4;

describeWithKafka(`folds on a real broker (seed ${SEED})`, () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();
  const random = randomNumbers(SEED);
  let running: FedCluster | null = null;
  afterEach(async () => {
    await running?.close();
    running = null;
  });

  async function scenario(name: string): Promise<FedCluster> {
    running = await FedCluster.start({ brokers: brokers(), registry: registry(), prefix: `${name}.`, partitions: PARTITIONS });
    return running;
  }

  const pause = (minMs: number, maxMs: number): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, minMs + random() * (maxMs - minMs)));

  it('kill -9 at random moments, 20 times', { timeout: 300_000 }, async () => {
    const fed = await scenario('kills');
    const { folds } = fed;
    await fed.startFold();
    await fed.startFold();
    let replayed = 0;
    for (let kill = 0; kill < 20; kill += 1) {
      await pause(100, 1500);
      const victim = folds[Math.floor(random() * folds.length)]!;
      await fed.until('it was started again', () => victim.process.running);
      await victim.process.kill();
    }
    // Proof of the fault: states are rebuilt by replay, at least those of the last victim.
    await fed.until('states were rebuilt by replay', async () => {
      for (const fold of folds) replayed += sumOf(await fold.metrics(), 'squitter_fold_replayed_records_total');
      return replayed > 0;
    });
    await fed.prove(SEED);
    expect(folds.flatMap(({ ends }) => ends)).toEqual(Array(20).fill('SIGKILL'));
  });

  it('frozen beyond the session, replaced and woken, 5 times', { timeout: 300_000 }, async () => {
    const fed = await scenario('freezes');
    const { folds } = fed;
    await fed.startFold();
    await fed.startFold();
    let replaced = 0;
    for (let freeze = 0; freeze < 5; freeze += 1) {
      await pause(500, 2000);
      const [zombie, other] = [folds[freeze % 2]!, folds[(freeze + 1) % 2]!];
      await fed.until('each has its share', async () => (await zombie.partitions()) > 0 && (await other.partitions()) > 0);
      const { process } = zombie;
      process.freeze();
      await fed.until('the other has all partitions', async () => (await other.partitions()) === PARTITIONS);
      replaced += 1;
      await pause(0, SESSION_MS);
      process.thaw();
    }
    await fed.prove(SEED);
    expect(replaced).toBe(5);
    // A woken fold joins again as a new member, or ends for its supervisor; never with status 0.
    expect(folds.flatMap(({ ends }) => ends).filter((how) => how !== 1)).toEqual([]);
  });

  it('from 1 fold to 3 and back to 2: no gap', { timeout: 300_000 }, async () => {
    const fed = await scenario('scale');
    const { watcher, folds } = fed;
    const first = await fed.startFold();
    await pause(3000, 4000);
    watcher.resetPauses();
    await Promise.all([fed.startFold(), fed.startFold()]);
    await pause(3000, 4000);
    const upMs = watcher.longestPauseMs();
    watcher.resetPauses();
    folds.splice(folds.indexOf(first), 1);
    expect(await first.stop(), first.process.output()).toBe(0);
    await pause(3000, 4000);
    const downMs = watcher.longestPauseMs();
    await fed.prove(SEED);
    // A tick is a second; the rest is the gap of the change.
    process.stdout.write(
      `longest time without positions in a partition: ${Math.round(upMs)} ms scaling up, ${Math.round(downMs)} ms scaling down\n`,
    );
    expect(Math.max(upMs, downMs)).toBeLessThan(8000);
  });

  it('an unreadable record becomes a dead letter with its offset, and the partition continues', {
    timeout: 60_000,
  }, async () => {
    const fed = await scenario('poison');
    await fed.startFold();
    await pause(2000, 2500);
    const { log } = await fed.cluster.cluster();
    const poison = { key: null, value: Buffer.from('this is no FrameBatch'), timestampMs: Date.now() };
    const offsets = [await log.append('frames', 1, [poison]), await log.append('frames', 2, [poison])];
    await pause(2000, 2500);
    await fed.prove(SEED);
    const deadLetters: (readonly [string | null, string])[] = [];
    for await (const batch of log.read({ topic: 'deadletter', partition: 0, from: 'earliest', to: 'end' }))
      for (const { key, value } of batch.records) deadLetters.push([key, Buffer.from(value!).toString()]);
    expect(deadLetters.sort()).toEqual([
      [`frames/1/${offsets[0]}`, 'this is no FrameBatch'],
      [`frames/2/${offsets[1]}`, 'this is no FrameBatch'],
    ]);
    const committed = (await log.committed('fold', 'frames', 1))!;
    expect(committed).toBeGreaterThan(offsets[0]!);
  });
});
