// A real Kafka on this machine: one node or three, that can be killed, paused and started again.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { SquitterError } from '../../schemas/errors.ts';
import { fetched } from './fetched.ts';
import { log4jSettings, type NodeSettings, serverProperties } from './kafka-settings.ts';
import { requirePrograms } from './missing.ts';
import { onFreePorts } from './ports.ts';
import { type Program, startProgram, untilReady } from './program.ts';

export interface LocalKafkaOptions {
  readonly nodes?: 1 | 3;
  /** Where the data lie. Given, they are kept and a later start goes on with them; else the folder is temporary. */
  readonly dir?: string;
}

export interface LocalKafkaNode {
  readonly pid: number;
  /** SIGKILL; the data stay. */
  kill(): Promise<void>;
  /** Starts a killed node again, or stops and starts a running one: same ports, same data. Resolves when it serves clients. */
  restart(): Promise<void>;
  /** SIGSTOP: its connections stay open and nobody answers. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
}

export interface LocalKafka {
  /** HOST:PORT of each node. */
  readonly brokers: string[];
  /** Node `i`, from 0, as in `brokers`. */
  node(i: number): LocalKafkaNode;
  /** Ends every node; a temporary folder is removed. */
  stop(): Promise<void>;
}

const JAVA_FLAGS = ['-Xms256m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/** Starts Kafka and waits until every node serves clients. Errors: `local.missing_program`, `local.fetch_failed`, `local.not_started`. */
export async function startKafka({ nodes = 1, dir }: LocalKafkaOptions = {}): Promise<LocalKafka> {
  requirePrograms('java');
  const { kafkaClassPath } = await fetched();
  const home = dir ?? mkdtempSync(join(tmpdir(), 'squitter-kafka-'));
  mkdirSync(home, { recursive: true });
  const log4jFile = join(home, 'log4j2.xml');
  writeFileSync(log4jFile, log4jSettings);
  const clusterId = keptClusterId(home);
  const java = (args: string[], logFile: string): Program =>
    startProgram({
      name: 'Kafka',
      command: 'java',
      args: [...JAVA_FLAGS, `-Dlog4j2.configurationFile=${log4jFile}`, '-cp', kafkaClassPath, ...args],
      logFile,
    });

  return onFreePorts(nodes * 2, async (ports) => {
    const settings = Array.from({ length: nodes }, (_, i) => ({
      id: i + 1,
      port: ports[i * 2]!,
      controllerPort: ports[i * 2 + 1]!,
      dataDir: join(home, `node-${i + 1}`, 'data'),
    }));
    const members = settings.map((node) => new KafkaNode(node, settings, clusterId, java));
    const stop = async (): Promise<void> => {
      await Promise.all(members.map((member) => member.stop()));
      if (dir === undefined) rmSync(home, { recursive: true, force: true });
    };
    try {
      await Promise.all(members.map((member) => member.start()));
    } catch (error) {
      await Promise.all(members.map((member) => member.stop()));
      throw error;
    }
    return { brokers: settings.map(({ port }) => `127.0.0.1:${port}`), node: (i) => members[i]!, stop };
  });
}

/** A folder keeps the cluster id it was formatted with. */
function keptClusterId(home: string): string {
  const file = join(home, 'cluster.id');
  // Kafka's own form of an id. A first letter keeps it from looking like a flag.
  if (!existsSync(file)) writeFileSync(file, `s${randomBytes(16).toString('base64url').slice(1)}`);
  return readFileSync(file, 'utf8');
}

class KafkaNode implements LocalKafkaNode {
  readonly #settings: NodeSettings;
  readonly #clusterId: string;
  readonly #java: (args: string[], logFile: string) => Program;
  readonly #logFile: string;
  readonly #propertiesFile: string;
  #program: Program | null = null;

  constructor(settings: NodeSettings, all: readonly NodeSettings[], clusterId: string, java: (args: string[], logFile: string) => Program) {
    this.#settings = settings;
    this.#clusterId = clusterId;
    this.#java = java;
    const folder = join(settings.dataDir, '..');
    mkdirSync(folder, { recursive: true });
    this.#logFile = join(folder, 'kafka.log');
    this.#propertiesFile = join(folder, 'server.properties');
    writeFileSync(this.#propertiesFile, serverProperties(settings, all));
  }

  get pid(): number {
    return this.#program!.pid;
  }

  async start(): Promise<void> {
    if (!existsSync(join(this.#settings.dataDir, 'meta.properties'))) await this.#format();
    const program = this.#java(['kafka.Kafka', this.#propertiesFile], this.#logFile);
    this.#program = program;
    await untilReady('Kafka', program, () => this.#answers());
  }

  async #format(): Promise<void> {
    const args = ['format', '--ignore-formatted', '-t', this.#clusterId, '-c', this.#propertiesFile];
    const tool = this.#java(['kafka.tools.StorageTool', ...args], this.#logFile);
    const status = await tool.ended;
    if (status !== 0)
      throw new SquitterError('local.not_started', { program: 'Kafka', detail: `its data folder cannot be formatted:\n${tool.logTail()}` });
  }

  /** Whether this very cluster answers here and knows the node as alive: the port could belong to another one. */
  async #answers(): Promise<boolean> {
    const { port, id } = this.#settings;
    const client = new Kafka({
      brokers: [`127.0.0.1:${port}`],
      clientId: 'squitter-local',
      logLevel: logLevel.NOTHING,
      connectionTimeout: 1000,
      requestTimeout: 2000,
      retry: { retries: 0 },
    });
    const admin = client.admin();
    try {
      await admin.connect();
      const { clusterId, brokers } = await admin.describeCluster();
      return clusterId === this.#clusterId && brokers.some(({ nodeId }) => nodeId === id);
    } catch {
      return false;
    } finally {
      await admin.disconnect();
    }
  }

  async kill(): Promise<void> {
    await this.#program?.kill();
  }

  async stop(): Promise<void> {
    await this.#program?.stop();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  pause(): void {
    this.#program?.pause();
  }

  resume(): void {
    this.#program?.resume();
  }
}
