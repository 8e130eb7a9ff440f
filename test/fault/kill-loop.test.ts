// kill -9 of the whole process tree of a fed service, at named points of its work and at random moments, with a restart each time: what the log
// acknowledged is there, nothing is there twice, and the outputs of fold and flights stage equal those from the start.
import { afterAll, describe, expect, it } from 'vitest';
import { openData } from '../../pipeline/log/open-data.ts';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import { PacedFeeder, simulatedSlices } from '../support/feeder.ts';
import { auditFlights } from '../support/flights-audit.ts';
import { appendPoints, commitPoints, KillJournal, type KillPoint, keptFrames } from '../support/kill-journal.ts';
import { squitter, startService, temporaryFolder } from '../support/service.ts';

const POINTS: readonly (KillPoint | null)[] = [null, ...appendPoints, null, ...commitPoints, null];
/** Longer than the test: the feed is stopped at its end. */
const FEED_S = 200;
const AIRCRAFT = 100;
/** Appends come twenty times a second, commits with each tick. */
const PASSES_MAX = { append: 40, commit: 4 };
const MOMENT_MS_MAX = 2000;
/** More partitions than threads: each thread has some, and a kill ends all in the middle of their commits. */
const SERVICE_FLAGS = ['--no-simulation', '--fold-threads', '2'];
const PARTITIONS = 3;
const SEED = Number(process.env['SQUITTER_FAULT_SEED'] ?? (Date.now() % 1_000_000) + 1);

describe('kill -9 of the whole tree', () => {
  const folder = temporaryFolder();
  const data = `${folder.path}/data`;
  const journal = new KillJournal(folder.path);
  const random = new Random(SEED);
  let feeder: PacedFeeder;
  /** Kills after which states were rebuilt by silent replay. */
  let recovered = 0;
  afterAll(async () => {
    await feeder?.stop();
    folder.remove();
  });

  /** Starts the service, feeds it, and sees it end at the point; null: at any moment. */
  async function kill(point: KillPoint | null): Promise<void> {
    const hitsBefore = journal.hits().length;
    const nth = 1 + random.below(point?.startsWith('commit') ? PASSES_MAX.commit : PASSES_MAX.append);
    const starting = startService(data, SERVICE_FLAGS, journal.env(point, nth));
    // It may pass the point while it starts.
    const service = await starting.catch((error: Error) => (journal.hits().length > hitsBefore ? null : Promise.reject(error)));
    if (service !== null) {
      feeder.target = service.listenPort;
      if (point === null) {
        if ((await service.metric('squitter_fold_replayed_records_total')) > 0) recovered += 1;
        await new Promise((resolve) => setTimeout(resolve, random.between(0, MOMENT_MS_MAX)));
        await service.kill();
      }
      expect(await service.ended, service.output()).toBe('SIGKILL');
    }
    // Proof of the fault. Both threads that fold may pass the point before the signal ends them.
    expect([...new Set(journal.hits().slice(hitsBefore))]).toEqual(point === null ? [] : [point]);
  }

  it(`at each named point of the work and at random moments: what was acknowledged is there, once (seed ${SEED})`, {
    timeout: 900_000,
  }, async () => {
    await (await openData(data, 'write', { framePartitionsIfNew: PARTITIONS })).log.close();
    const slices = [...simulatedSlices(AIRCRAFT, FEED_S, 1)];
    feeder = new PacedFeeder(slices);
    feeder.start();
    for (const point of POINTS) await kill(point);
    expect(recovered).toBeGreaterThan(0);

    const last = await startService(data, SERVICE_FLAGS, journal.env());
    await feeder.stop();
    expect(await last.stop(), last.output()).toBe(0);
    const opened = await openData(data, 'read');
    const found = await keptFrames(opened, journal, slices);
    expect((await auditFlights(opened.log, opened.codecs)).records).toBeGreaterThan(AIRCRAFT);
    await opened.log.close();
    expect([found.lost, found.twice]).toEqual([[], []]);
    expect(found.acknowledged).toBeGreaterThan(1000);
    const audit = await squitter(['audit', '--data', data]);
    expect(audit.stdout, audit.stderr).toMatch(
      new RegExp(`^audit: equal: ${found.frames} frames, [1-9]\\d* positions, ${PARTITIONS} partitions$`, 'm'),
    );
    expect(audit.code).toBe(0);
  });
});
