// A worker in which the table of position fields has one more row before any other module reads it. Posts where the field is found.
import { parentPort, workerData } from 'node:worker_threads';

const load = (name) => import(new URL(`../../dist/modules/${name}.js`, import.meta.url).href);
const { positionFields } = await load('schemas/position-fields');
const { plain } = await load('schemas/clickhouse/columns');
positionFields.push({
  ...{ name: 'windKt', type: 'int', isOptional: true, isAdded: true, step: 99, column: plain('windKt', 'Nullable(Int16)', 'Wind.') },
});
const { positionColumns } = await load('schemas/daily-file');
positionColumns.push({ name: 'wind', type: 'FLOAT', sql: 'p.windKt', about: 'Wind.' });

const { openData } = await load('pipeline/log/open-data');
const { steps } = await load('schemas/clickhouse/ddl');
const { logSource } = await load('exporters/daily/from-log');
const { writeDay } = await load('exporters/daily/write-day');
const { folder, day, row } = workerData;
const { log, codecs } = await openData(`${folder}/data`, 'write');
const timestampMs = Math.ceil(row.timeUs / 1000);
const value = codecs.PositionBatch.encode({ tickMs: timestampMs, rows: [row] });
await log.append('positions', 0, [{ key: null, value, timestampMs }]);
await writeDay({
  ...{ day, outDir: `${folder}/out`, source: logSource({ log, codecs }), facts: () => null, licence: '', attribution: '' },
  ...{ signal: new AbortController().signal, replaces: false },
});
await log.close();
const [create, add] = [steps[0], steps.at(-1)].map(({ statements }) => statements('plain').join());
parentPort.postMessage({ topic: codecs.PositionBatch.decode(value).rows[0].windKt, create, add });
