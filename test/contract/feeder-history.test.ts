// The history of feeders on the real engine: records of a log become rows, each once, also when a second process writes them.
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { startFeederWriting } from '../../infra/services/history/feeder-writing.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { storeWriter } from '../../pipeline/project/store-writer.ts';
import { feederRows } from '../../query-api/queries/history/feeder-rows.ts';
import { HistoryStore } from '../../query-api/queries/history/history-store.ts';
import { feederRecord, receiverKey } from '../../schemas/avro/feeder-record.ts';
import { FEEDER_ROW_MS } from '../../schemas/feeder-history.ts';
import { historyEngine, startHistoryStore } from '../support/history-store.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const engine = historyEngine();
const MINUTE_MS = 60_000;
const ID = '0123456789abcdef';
const OTHER = 'fedcba9876543210';

it.skipIf(!engine.met)(`the history of feeders has a row per feeder and five minutes ${engine.reason}`, async ({ onTestFinished }) => {
  const store = await startHistoryStore();
  onTestFinished(store.stop);
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const { log, codecs } = await openData(folder.path, 'write');
  onTestFinished(() => log.close());
  const startMs = Math.floor(Date.now() / FEEDER_ROW_MS - 3) * FEEDER_ROW_MS;
  const record = (id: string, minute: number, partition: number) => {
    const timeMs = startMs + MINUTE_MS * minute;
    const counts = { frames: 100 * minute, messages: 0, duplicates: 0, positions: 10 * minute, disagreements: 0, cleanDf17: 0 };
    const last = { aircraft: 7, rangeNm: Array.from({ length: 16 }, (_, i) => 10 * i + partition), signalDecidb: -123 };
    const value = codecs.FeederRecord.encode(
      feederRecord({ receiver: { partition, timeMs, ...counts, ...last, lateMs: 0, heardMs: timeMs, contributorUntilMs: 0 } }),
    );
    return { key: receiverKey(id, partition), value, timestampMs: timeMs };
  };
  for (let minute = 1; minute <= 13; minute += 1)
    await log.append('feeders', 0, [record(ID, minute, 0), record(ID, minute, 1), record(OTHER, minute, 1)]);
  let retries = 0;
  const write = () =>
    startFeederWriting({
      ...{ log, codecs, writer: storeWriter(store.client), isWriter: () => true, registry: new Registry(), intervalMs: 20 },
      onRetry: () => {
        retries += 1;
      },
    });
  for (const stop of [write(), write()]) onTestFinished(stop);
  const history = new HistoryStore(store.client);
  const rows = () => feederRows({ history }, { feeder: ID, fromMs: startMs, toMs: startMs + 3 * FEEDER_ROW_MS });
  await until(async () => (await rows()).length === 2, 'two rows');
  expect(await rows()).toEqual(
    [0, 1].map((bucket) => ({
      ...{ timeMs: startMs + bucket * FEEDER_ROW_MS, frames: 1000, positions: 100, disagreements: 0, aircraft: 14, signalDecidb: -123 },
      rangeNm: Array.from({ length: 16 }, (_, i) => 10 * i + 1),
    })),
  );
  expect(await feederRows({ history }, { feeder: OTHER, fromMs: startMs, toMs: startMs + FEEDER_ROW_MS })).toMatchObject([{ frames: 500 }]);
  expect(retries).toBe(0);
});
