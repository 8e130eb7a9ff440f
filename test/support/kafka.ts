// Real Kafka and the real registry for suites: shared ones, which are available quickly, or a separate cluster to kill and pause.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { type LocalKafka, type LocalKafkaOptions, startKafka } from '../local/kafka.ts';
import { localLimits } from '../local/limits.ts';
import type { ProgramName } from '../local/missing.ts';
import { localPrograms } from './requirements.ts';

/** Patience for the start and the emptying of a broker on a busy machine. */
export const KAFKA_START_MS_MAX = 2 * localLimits.localStartMsMax;

/** `describe` for a suite that needs Kafka, and maybe `more`: without Java or Maven it is skipped with the reason in its name; in CI it fails. */
export function describeWithKafka(name: string, body: () => void, ...more: ProgramName[]): void {
  const needed = localPrograms('java', 'mvn', ...more);
  describe.skipIf(!needed.met)(needed.met ? name : `${name} (${needed.reason})`, body);
}

/**
 * A broker without topics and groups for this suite alone, until its end. The suite must not kill it: other suites get it afterwards.
 * Called in `describe`; in tests and later hooks the returned function returns the brokers' addresses.
 */
export function sharedKafka(): () => string[] {
  return held<string[]>('kafka');
}

/** Base URL of a registry in memory that all suites of the run share: each suite uses its own subjects. Called in `describe`. */
export function sharedRegistry(): () => string {
  return held<string>('registry');
}

/** A Kafka for this suite alone, for suites that kill or pause nodes. Called in `describe`. */
export function ownKafka(options: LocalKafkaOptions = {}): () => LocalKafka {
  let kafka: LocalKafka | undefined;
  beforeAll(async () => {
    kafka = await startKafka(options);
  }, KAFKA_START_MS_MAX);
  afterAll(() => kafka?.stop(), KAFKA_START_MS_MAX);
  return () => kafka!;
}

/** Requests a service from the run's main process (local-services.ts) and holds it until the end of the suite. */
function held<Value>(what: 'kafka' | 'registry'): () => Value {
  let socket: Socket | undefined;
  let received: Value | undefined;
  beforeAll(async () => {
    socket = connect(inject('localServicesPort'), '127.0.0.1');
    socket.write(what);
    const { error, value } = JSON.parse(await firstLine(socket)) as { error?: string; value?: Value };
    if (error !== undefined) throw new Error(error);
    received = value;
  }, KAFKA_START_MS_MAX);
  afterAll(() => void socket?.destroy());
  return () => received!;
}

function firstLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once('data', (data) => resolve(data.toString()));
    socket.once('error', reject);
  });
}
