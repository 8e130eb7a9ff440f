// kill -9 of the whole process tree at random moments of a running feed, with a restart each time: afterwards the topics equal a fold from the start.
import { afterAll, describe, expect, it } from 'vitest';
import { PacedFeeder, simulatedSlices } from '../support/feeder.ts';
import { type RunningService, squitter, startService, temporaryFolder } from '../support/service.ts';

const KILLS = 20;
const FEED_S = 60;
const AIRCRAFT = 300;
const SEED = Number(process.env['SQUITTER_FAULT_SEED'] ?? Date.now() % 1_000_000);

/** A small random generator for the moments of the kills; the seed is printed, so that a failure is reproducible. */
function randoms(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x1_0000_0000;
  };
}

describe('kill -9 of the whole tree', () => {
  const folder = temporaryFolder();
  afterAll(folder.remove);

  it(
    `loses and duplicates nothing over ${KILLS} kills in ${FEED_S} s of feed`,
    async () => {
      const random = randoms(SEED);
      const feeder = new PacedFeeder(await simulatedSlices(AIRCRAFT, FEED_S, 1));
      const seen = { restarts: 0, recovered: 0 };
      let service: RunningService = await startService(folder.path, ['--no-simulation']);
      feeder.target = service.listenPort;
      feeder.start();
      for (let kill = 0; kill < KILLS; kill += 1) {
        await new Promise((resolve) => setTimeout(resolve, ((FEED_S * 1000) / KILLS) * (0.2 + 1.1 * random())));
        await service.kill();
        service = await startService(folder.path, ['--no-simulation']);
        feeder.target = service.listenPort;
        seen.restarts += 1;
        const metrics = await (await service.get('/metrics')).text();
        if (/^squitter_fold_replayed_records_total [1-9]/m.test(metrics)) seen.recovered += 1;
      }
      await feeder.finished();
      expect(await service.stop(), service.output()).toBe(0);

      const audit = await squitter(['audit', '--data', folder.path]);
      expect(audit.stdout, `seed ${SEED}\n${audit.stderr}`).toMatch(/^audit: equal: \d+ frames, [1-9]\d* positions/m);
      expect(audit.code).toBe(0);
      // Proof of the fault: every kill caused a restart, and states were rebuilt by silent replay.
      expect(seen.restarts).toBe(KILLS);
      expect(seen.recovered).toBeGreaterThan(KILLS / 2);
      // Frames sent while no ingest listens are lost, more of them on a busy machine; enough must be left for a valid test.
      const frames = Number(/audit: equal: (\d+) frames/.exec(audit.stdout)?.[1]);
      expect(frames).toBeGreaterThan(20_000);
    },
    (FEED_S + 120) * 1000,
  );
});
