// The settings of a local Kafka node: small, quick to start and quick to notice a dead neighbour.
import type { NodeSecurity } from './kafka-security.ts';

export interface NodeSettings {
  /** From 1. */
  readonly id: number;
  readonly port: number;
  readonly controllerPort: number;
  /** Of its own: settings, log and, in `data`, what it stores. */
  readonly folder: string;
}

/** server.properties of one node of a cluster of these nodes, each broker and controller at once. */
export function serverProperties(node: NodeSettings, nodes: readonly NodeSettings[], security?: NodeSecurity): string {
  const copies = nodes.length;
  const copiesInSync = copies > 1 ? 2 : 1;
  const settings: Record<string, string | number | boolean> = {
    'process.roles': 'broker,controller',
    'node.id': node.id,
    'controller.quorum.voters': nodes.map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`).join(','),
    'controller.listener.names': 'CONTROLLER',
    listeners: `PLAINTEXT://127.0.0.1:${node.port},CONTROLLER://127.0.0.1:${node.controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${node.port}`,
    'log.dirs': `${node.folder}/data`,
    'auto.create.topics.enable': false,
    'default.replication.factor': copies,
    'min.insync.replicas': copiesInSync,
    'offsets.topic.replication.factor': copies,
    'offsets.topic.num.partitions': 8,
    'transaction.state.log.replication.factor': copies,
    'transaction.state.log.min.isr': copiesInSync,
    'transaction.state.log.num.partitions': 8,
    'share.coordinator.state.topic.replication.factor': copies,
    'share.coordinator.state.topic.min.isr': copiesInSync,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
    // The default of 128 MB is taken at start.
    'log.cleaner.dedupe.buffer.size': 16_777_216,
    // What is superseded or over its time goes within a second or two, by default within minutes.
    'log.cleaner.backoff.ms': 250,
    'log.retention.check.interval.ms': 1000,
    'log.initial.task.delay.ms': 1000,
    // By default a node that was killed waits 14 s for its own old session to end.
    'broker.session.timeout.ms': 2000,
    'broker.heartbeat.interval.ms': 500,
    // By default a node waits half a minute for an answer of a frozen controller, and is itself taken for dead meanwhile.
    'controller.socket.timeout.ms': 1500,
    ...security?.properties,
  };
  return `${Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n`;
}

/** Warnings and errors to standard output; without this file Kafka says nothing at all. */
export const log4jSettings = `<Configuration status="error">
  <Appenders><Console name="out"><PatternLayout pattern="%d{HH:mm:ss.SSS} %p %c{1}: %m%n"/></Console></Appenders>
  <Loggers><Root level="warn"><AppenderRef ref="out"/></Root></Loggers>
</Configuration>
`;
