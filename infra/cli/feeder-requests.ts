// Shared by the commands about feeders and keys: options, and the way to the feeders of a running service or of a cluster.
import type { Writable } from 'node:stream';
import { FeederIds } from '../../pipeline/feeders/feeder-ids.ts';
import { openFeeders } from '../../pipeline/feeders/open-feeders.ts';
import { readSecretFile } from '../../pipeline/runtime/installation-secret.ts';
import type { Environment, OptionValues } from '../../pipeline/runtime/options.ts';
import { DATA_DIR, logOptions, openLog, secretFileOf, secretFileOption } from '../../pipeline/tools/log-options.ts';
import { askOperatorSocket } from '../embedded/operator-socket.ts';
import { FeederActs, type FeederRequest, isDecision } from '../services/access/feeder-acts.ts';
import type { FeederReport } from '../services/access/feeder-report.ts';

export const requestOptions = {
  data: { ...logOptions.data, help: `data folder of the running service (${DATA_DIR} if no brokers are given)` },
  brokers: { ...logOptions.brokers, help: 'Kafka brokers of a cluster, instead of a running service' },
  registry: logOptions.registry,
  secretFile: secretFileOption,
  json: { flag: 'json', help: 'one line of JSON per feeder', fallback: false as boolean },
} as const;

type RequestOptions = OptionValues<typeof requestOptions>;

export const REQUEST_DETAILS =
  'ID is the id of a feeder as `squitter feeders list` shows it, its UUID, or its public address. Run the command as the user of the service:\n' +
  'it asks the service that runs on the data folder. With --brokers it reads the topic of feeders, and appends to it, by itself.';

/** Reports of the feeders asked for. Errors: those of `askOperatorSocket`, `openLog`, `openFeeders` and `FeederActs`. */
export async function reportsFor(request: FeederRequest, options: RequestOptions, env: Environment): Promise<readonly FeederReport[]> {
  if (options.brokers.length === 0) return (await allOf(askOperatorSocket(options.data ?? DATA_DIR, request))) as FeederReport[];
  const secret = readSecretFile(secretFileOf(options.secretFile));
  const opened = await openLog(options, env, isDecision(request.act) ? 'write' : 'read');
  try {
    const feeders = await openFeeders({ ...opened, secret, nowMs: null });
    try {
      const acts = new FeederActs({ ...opened, table: feeders.table, ids: new FeederIds(secret), nowMs: Date.now });
      return await allOf(acts.run(request));
    } finally {
      await feeders.stop();
    }
  } finally {
    await opened.log.close();
  }
}

async function allOf<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** Writes reports as JSON or as text. */
export function writeReports(
  stdout: Writable,
  reports: readonly FeederReport[],
  { json }: RequestOptions,
  text: (reports: readonly FeederReport[]) => string,
): void {
  stdout.write(json ? reports.map((report) => `${JSON.stringify(report)}\n`).join('') : text(reports));
}
