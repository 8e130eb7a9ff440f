// One node of a local Kafka: formats its folder, starts it, checks whether it serves clients.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { SquitterError } from '../../schemas/errors.ts';
import type { NodeSecurity } from './kafka-security.ts';
import { log4jSettings, type NodeSettings, serverProperties } from './kafka-settings.ts';
import { logTail, type Program, startProgram, untilReady } from './program.ts';

export interface KafkaNodeOptions {
  readonly node: NodeSettings;
  /** Every node of the cluster, this one included. */
  readonly all: readonly NodeSettings[];
  readonly clusterId: string;
  readonly classPath: string;
  readonly javaFlags: readonly string[];
  readonly security?: NodeSecurity;
}

const JAVA_FLAGS = ['-Xms256m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
const RESPONSE_MS_MAX = 2000;

/** Writes the node's settings and formats its data folder if that is still to do. The returned function starts the node. */
export async function prepareNode(options: KafkaNodeOptions): Promise<() => Promise<Program>> {
  const { node, all, clusterId, classPath, javaFlags, security } = options;
  mkdirSync(node.folder, { recursive: true });
  const settingsFile = join(node.folder, 'server.properties');
  writeFileSync(settingsFile, serverProperties(node, all, security), { mode: 0o600 });
  const log4jFile = join(node.folder, 'log4j2.xml');
  writeFileSync(log4jFile, log4jSettings);
  const java = (...args: string[]): Program =>
    startProgram({
      name: 'Kafka',
      command: 'java',
      args: [...JAVA_FLAGS, ...javaFlags, `-Dlog4j2.configurationFile=${log4jFile}`, '-cp', classPath, ...args],
      logFile: join(node.folder, 'kafka.log'),
    });
  const passwords = security?.formatArgs ?? [];
  const format = java('kafka.tools.StorageTool', 'format', '--ignore-formatted', '-t', clusterId, '-c', settingsFile, ...passwords);
  if ((await format.ended) !== 0) {
    const detail = `the data folder cannot be formatted. The end of the log:\n${logTail(format)}`;
    throw new SquitterError('local.not_started', { program: 'Kafka', detail });
  }
  return () => untilReady(java('kafka.Kafka', settingsFile), () => responds(node, clusterId));
}

/** True if this cluster responds here and considers the node alive: the port could belong to another one. */
async function responds({ id, port }: NodeSettings, clusterId: string): Promise<boolean> {
  const client = new Kafka({
    brokers: [`127.0.0.1:${port}`],
    clientId: 'squitter-local',
    logLevel: logLevel.NOTHING,
    connectionTimeout: RESPONSE_MS_MAX,
    requestTimeout: RESPONSE_MS_MAX,
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
