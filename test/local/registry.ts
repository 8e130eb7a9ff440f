// Starts a real schema registry on this machine: Apicurio, which implements Confluent's API.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fetched } from './fetched.ts';
import { withWorkFolder } from './folder.ts';
import { LocalProgram } from './local-program.ts';
import { requirePrograms } from './missing.ts';
import { onFreePort } from './ports.ts';
import { type Program, startProgram, untilReady } from './program.ts';

/** Schemas in memory are lost when the registry ends; in Kafka (`brokers`) they survive kill -9. */
export type LocalRegistryOptions = { readonly memory: true } | { readonly brokers: readonly string[] };

const JAVA_FLAGS = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
const RESPONSE_MS_MAX = 2000;

/**
 * Starts the registry and waits until it is ready. Its `url` is the base of the Confluent API.
 * Errors: `local.missing_program`, `local.fetch_failed`, `local.not_started`.
 */
export async function startRegistry(options: LocalRegistryOptions): Promise<LocalProgram> {
  requirePrograms('java');
  const { registryJar } = await fetched();
  const storage =
    'brokers' in options
      ? [
          '-Dapicurio.storage.kind=kafkasql',
          `-Dapicurio.kafkasql.bootstrap.servers=${options.brokers.join(',')}`,
          // By default it waits five seconds for a snapshot of its schemas, which does not exist.
          '-Dapicurio.kafkasql.consumer.poll.timeout=300',
        ]
      : ['-Dapicurio.storage.kind=sql'];
  // It reports healthy before it has read its schemas from Kafka.
  const readyLine = 'brokers' in options ? 'storage bootstrapped in' : '';
  return withWorkFolder(undefined, (folder) =>
    onFreePort((port) => {
      const base = `http://127.0.0.1:${port}`;
      const launch = async (): Promise<Program> => {
        // Every response contains it, so that another program on the port is not mistaken for ours.
        const token = randomUUID();
        const listen = ['-Dquarkus.http.host=127.0.0.1', `-Dquarkus.http.port=${port}`, `-Dquarkus.http.header."X-Local".value=${token}`];
        const program = startProgram({
          name: 'the schema registry',
          command: 'java',
          args: [...JAVA_FLAGS, ...listen, ...storage, '-jar', registryJar],
          logFile: join(folder.path, 'registry.log'),
        });
        return untilReady(program, async () => program.log().includes(readyLine) && (await responds(`${base}/health/ready`, token)));
      };
      return LocalProgram.start(`${base}/apis/ccompat/v7`, launch, folder.leave);
    }),
  );
}

async function responds(url: string, token: string): Promise<boolean> {
  return await fetch(url, { signal: AbortSignal.timeout(RESPONSE_MS_MAX) }).then(
    (response) => response.ok && response.headers.get('x-local') === token,
    () => false,
  );
}
