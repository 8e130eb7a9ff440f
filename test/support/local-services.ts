// Global setup of the tests: vitest's main process owns the real services that suites share, and ends them after the last suite.
// A suite requests one over a socket and holds it while the socket is open, so that a crashed suite holds nothing.
import { createServer, type Socket } from 'node:net';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import type { TestProject } from 'vitest/node';
import { type LocalKafka, startKafka } from '../local/kafka.ts';
import type { LocalProgram } from '../local/local-program.ts';
import { startRegistry } from '../local/registry.ts';
import { until } from './until.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    localServicesPort: number;
  }
}

/** Idle brokers. A suite gets one of them, emptied; suites never share one at the same time. */
const idle: LocalKafka[] = [];
const stops: (() => Promise<void>)[] = [];
let registry: Promise<LocalProgram> | undefined;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (what) => {
      serve(socket, String(what)).catch((error: Error) => socket.end(JSON.stringify({ error: error.message })));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('localServicesPort', (server.address() as { port: number }).port);
  return async () => {
    server.close();
    await Promise.all(stops.map((stop) => stop()));
  };
}

async function serve(socket: Socket, what: string): Promise<void> {
  if (what === 'registry') {
    registry ??= start(startRegistry({ memory: true }));
    socket.write(JSON.stringify({ value: (await registry).url }));
    return;
  }
  const kafka = (await idleKafka()) ?? (await start(startKafka()));
  if (socket.destroyed) idle.push(kafka);
  else socket.once('close', () => idle.push(kafka));
  socket.write(JSON.stringify({ value: kafka.brokers }));
}

/** An idle broker, emptied; one that cannot be emptied is discarded. */
async function idleKafka(): Promise<LocalKafka | undefined> {
  const kafka = idle.pop();
  if (kafka === undefined) return undefined;
  try {
    await cleanKafka(kafka.brokers);
    return kafka;
  } catch {
    await kafka.stop();
    return undefined;
  }
}

async function start<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const service = await starting;
  stops.push(() => service.stop());
  return service;
}

/** Kafka's own topics stay: they hold the groups and transactions. */
const topicsOf = async (admin: Admin): Promise<string[]> => (await admin.listTopics()).filter((topic) => !topic.startsWith('__'));

/** Deletes every topic and group. Throws when a group still has members, or a topic stays. */
async function cleanKafka(brokers: string[]): Promise<void> {
  const admin = new Kafka({ brokers, clientId: 'clean', logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const groups = (await admin.listGroups()).groups.map(({ groupId }) => groupId);
    if (groups.length > 0) await admin.deleteGroups(groups);
    const topics = await topicsOf(admin);
    if (topics.length > 0) await admin.deleteTopics({ topics });
    // A busy broker still lists them after its response.
    await until(async () => (await topicsOf(admin)).length === 0, 'no topics');
  } finally {
    await admin.disconnect();
  }
}
