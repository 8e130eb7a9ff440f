// A real Kafka on this machine: one node or three, that can be killed, paused and started again.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { SquitterError } from '../../schemas/errors.ts';
import { fetched } from './fetched.ts';
import { withWorkFolder } from './folder.ts';
import { log4jSettings, type NodeSettings, serverProperties } from './kafka-settings.ts';
import { LocalProgram } from './local-program.ts';
import { requirePrograms } from './missing.ts';
import { onFreePorts } from './ports.ts';
import { logTail, type Program, startProgram, untilReady } from './program.ts';

export interface LocalKafkaOptions {
  readonly nodes?: 1 | 3;
  /** Where the data lie. Given, they are kept and a later start goes on with them; else the folder is temporary. */
  readonly dir?: string;
}

export interface LocalKafka {
  /** HOST:PORT of each node. */
  readonly brokers: string[];
  /** Node `i`, from 0, as in `brokers`. */
  node(i: number): LocalProgram;
  /** Ends every node; a temporary folder is removed. */
  stop(): Promise<void>;
}

const JAVA_FLAGS = ['-Xms256m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
const LOG4J_FILE = 'log4j2.xml';
const ANSWER_MS_MAX = 2000;

/** Starts Kafka and waits until every node serves clients. Errors: `local.missing_program`, `local.fetch_failed`, `local.not_started`. */
export async function startKafka({ nodes = 1, dir }: LocalKafkaOptions = {}): Promise<LocalKafka> {
  requirePrograms('java');
  const { kafkaClassPath } = await fetched();
  return withWorkFolder(dir, async (folder) => {
    writeFileSync(join(folder.path, LOG4J_FILE), log4jSettings);
    const started = await onFreePorts(nodes * 2, async (ports) => {
      const settings = Array.from({ length: nodes }, (_, i) => ({
        id: i + 1,
        port: ports[i * 2]!,
        controllerPort: ports[i * 2 + 1]!,
        folder: join(folder.path, `node-${i + 1}`),
      }));
      return startAll(settings.map((node) => () => startNode(node, settings, keptClusterId(folder.path), kafkaClassPath)));
    });
    return {
      brokers: started.map(({ url }) => url),
      node: (i) => started[i]!,
      async stop() {
        // An orderly end takes seconds, up to ten where the quorum is gone: it is only for data that stay.
        await Promise.all(started.map((node) => (folder.temporary ? node.kill() : node.stop())));
        folder.leave();
      },
    };
  });
}

/** All of them, or none and the first error. */
async function startAll(starts: readonly (() => Promise<LocalProgram>)[]): Promise<LocalProgram[]> {
  const results = await Promise.allSettled(starts.map((start) => start()));
  const started = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return started;
  await Promise.all(started.map((node) => node.kill()));
  throw failed.reason;
}

/** A folder keeps the cluster id it was formatted with. */
function keptClusterId(folder: string): string {
  const file = join(folder, 'cluster.id');
  // Kafka's own form of an id. A first letter keeps it from looking like a flag.
  if (!existsSync(file)) writeFileSync(file, `s${randomBytes(16).toString('base64url').slice(1)}`);
  return readFileSync(file, 'utf8');
}

async function startNode(node: NodeSettings, all: readonly NodeSettings[], clusterId: string, classPath: string): Promise<LocalProgram> {
  mkdirSync(node.folder, { recursive: true });
  const settingsFile = join(node.folder, 'server.properties');
  writeFileSync(settingsFile, serverProperties(node, all));
  const java = (...args: string[]): Program =>
    startProgram({
      name: 'Kafka',
      command: 'java',
      args: [...JAVA_FLAGS, `-Dlog4j2.configurationFile=${join(node.folder, '..', LOG4J_FILE)}`, '-cp', classPath, ...args],
      logFile: join(node.folder, 'kafka.log'),
    });
  const format = java('kafka.tools.StorageTool', 'format', '--ignore-formatted', '-t', clusterId, '-c', settingsFile);
  if ((await format.ended) !== 0)
    throw new SquitterError('local.not_started', { program: 'Kafka', detail: `its data folder cannot be formatted:\n${logTail(format)}` });
  return LocalProgram.start(`127.0.0.1:${node.port}`, () => untilReady(java('kafka.Kafka', settingsFile), () => answers(node, clusterId)));
}

/** Whether this very cluster answers here and knows the node as alive: the port could belong to another one. */
async function answers({ id, port }: NodeSettings, clusterId: string): Promise<boolean> {
  const client = new Kafka({
    brokers: [`127.0.0.1:${port}`],
    clientId: 'squitter-local',
    logLevel: logLevel.NOTHING,
    connectionTimeout: ANSWER_MS_MAX,
    requestTimeout: ANSWER_MS_MAX,
    retry: { retries: 0 },
  });
  const admin = client.admin();
  try {
    await admin.connect();
    const cluster = await admin.describeCluster();
    return cluster.clusterId === clusterId && cluster.brokers.some(({ nodeId }) => nodeId === id);
  } catch {
    return false;
  } finally {
    await admin.disconnect();
  }
}
