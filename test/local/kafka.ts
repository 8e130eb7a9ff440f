// Starts a real Kafka on this machine: one or three nodes that can be killed, paused and restarted; or one that requires passwords or certificates.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { classArchiveFlags } from './class-archive.ts';
import { fetched, type Print } from './fetched.ts';
import { type WorkFolder, withWorkFolder } from './folder.ts';
import { prepareNode } from './kafka-node.ts';
import { type NodeSecurity, type SecureAccess, secureKafka } from './kafka-security.ts';
import type { NodeSettings } from './kafka-settings.ts';
import { LocalProgram } from './local-program.ts';
import { requirePrograms } from './missing.ts';
import { onFreePorts } from './ports.ts';

export interface LocalKafkaOptions {
  readonly nodes?: 1 | 3;
  /** Folder of the data, kept for later starts. Without it, the folder is temporary. */
  readonly dir?: string;
  readonly print?: Print;
}

export interface LocalKafka {
  /** HOST:PORT of each node, without security. */
  readonly brokers: string[];
  /** Node `i`, from 0, as in `brokers`. */
  node(i: number): LocalProgram;
  /** Ends every node and removes a temporary folder. */
  stop(): Promise<void>;
}

/** Starts Kafka and waits until every node serves clients. Errors: `local.missing_program`, `local.fetch_failed`, `local.not_started`. */
export async function startKafka({ nodes = 1, dir, print = () => {} }: LocalKafkaOptions = {}): Promise<LocalKafka> {
  requirePrograms('java');
  return withWorkFolder(dir, (folder) => onFreePorts(nodes * 2, (ports) => startCluster(folder, nodeSettings(folder, ports), print)));
}

/** Starts one node with additional TLS listeners: one for passwords, one for client certificates. Errors as of `startKafka`. */
export async function startSecureKafka(): Promise<LocalKafka & SecureAccess> {
  requirePrograms('java', 'openssl');
  return withWorkFolder(undefined, (folder) =>
    onFreePorts(4, async ([internal, controller, password, certificate]) => {
      const security = secureKafka(folder.path, {
        internal: internal!,
        controller: controller!,
        password: password!,
        certificate: certificate!,
      });
      return { ...(await startCluster(folder, nodeSettings(folder, [internal!, controller!]), () => {}, security)), ...security };
    }),
  );
}

/** Each node has two ports: one for clients, one for controllers. */
function nodeSettings(folder: WorkFolder, ports: readonly number[]): NodeSettings[] {
  return Array.from({ length: ports.length / 2 }, (_, i) => ({
    id: i + 1,
    port: ports[i * 2]!,
    controllerPort: ports[i * 2 + 1]!,
    folder: join(folder.path, `node-${i + 1}`),
  }));
}

async function startCluster(folder: WorkFolder, all: readonly NodeSettings[], print: Print, security?: NodeSecurity): Promise<LocalKafka> {
  const files = await fetched(undefined, print);
  const javaFlags = await classArchiveFlags(files, print);
  const clusterId = clusterIdOf(folder.path);
  const start = async (node: NodeSettings): Promise<LocalProgram> => {
    const launch = await prepareNode({
      node,
      all,
      clusterId,
      javaFlags,
      classPath: files.kafkaClassPath,
      ...(security === undefined ? {} : { security }),
    });
    return LocalProgram.start(`127.0.0.1:${node.port}`, launch);
  };
  const nodes = await allOrNone(all.map(start));
  return {
    brokers: nodes.map(({ url }) => url),
    node: (i) => nodes[i]!,
    async stop() {
      // An orderly end takes seconds, up to ten without a quorum. Only data that are kept need it.
      await Promise.all(nodes.map((node) => (folder.temporary ? node.kill() : node.stop())));
      folder.leave();
    },
  };
}

/** Resolves with all nodes. If one fails, kills the others and rejects with its error. */
async function allOrNone(starting: readonly Promise<LocalProgram>[]): Promise<LocalProgram[]> {
  const results = await Promise.allSettled(starting);
  const started = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return started;
  await Promise.all(started.map((node) => node.kill()));
  throw failed.reason;
}

/** The cluster id of a data folder, which is fixed when the folder is formatted. */
function clusterIdOf(folder: string): string {
  const file = join(folder, 'cluster.id');
  // Kafka's format of an id. The first letter keeps it from looking like a flag.
  if (!existsSync(file)) writeFileSync(file, `s${randomBytes(16).toString('base64url').slice(1)}`);
  return readFileSync(file, 'utf8');
}
