// Settings of a local Kafka node: small memory, fast start, fast detection of dead nodes.
import type { NodeSecurity } from './kafka-security.ts';

export interface NodeSettings {
  /** From 1. */
  readonly id: number;
  readonly port: number;
  readonly controllerPort: number;
  /** Folder of this node: settings, log, and its data in `data`. */
  readonly folder: string;
}

/** server.properties of one node of a cluster in which each node is both broker and controller. */
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
    // The default is 128 MB, allocated at the start.
    'log.cleaner.dedupe.buffer.size': 16_777_216,
    // Superseded and expired records are removed within two seconds; by default within minutes.
    'log.cleaner.backoff.ms': 250,
    'log.retention.check.interval.ms': 1000,
    'log.initial.task.delay.ms': 1000,
    // By default a restarted node waits 14 s for the end of its old session.
    'broker.session.timeout.ms': 2000,
    'broker.heartbeat.interval.ms': 500,
    // By default a node waits half a minute for a response of a frozen controller, and is itself considered dead meanwhile.
    'controller.socket.timeout.ms': 1500,
    ...security?.properties,
  };
  return `${Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n`;
}

/** Logs warnings and errors to standard output. Without this file, Kafka logs nothing. */
export const log4jSettings = `<Configuration status="error">
  <Appenders><Console name="out"><PatternLayout pattern="%d{HH:mm:ss.SSS} %p %c{1}: %m%n"/></Console></Appenders>
  <Loggers><Root level="warn"><AppenderRef ref="out"/></Root></Loggers>
</Configuration>
`;
