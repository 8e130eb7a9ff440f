// A local Kafka that requires TLS with a password or a client certificate, for tests of our connections.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KafkaConnection, KafkaSasl } from '../../pipeline/log/kafka/connection.ts';
import { makeCertificates } from './certificates.ts';

/** Connections for clients. */
export interface SecureAccess {
  /** TLS with a password by this mechanism. */
  withPassword(mechanism: KafkaSasl['mechanism']): KafkaConnection;
  /** TLS with a client certificate. */
  readonly withCertificate: KafkaConnection;
}

/** Settings for the node. */
export interface NodeSecurity {
  /** Properties that replace the plain ones. */
  readonly properties: Readonly<Record<string, string>>;
  /** Arguments of the format tool: passwords that Kafka stores. */
  readonly formatArgs: readonly string[];
}

export interface SecurityPorts {
  readonly password: number;
  readonly certificate: number;
  /** Without security, for the node itself. */
  readonly internal: number;
  readonly controller: number;
}

const USERNAME = 'squitter';
const CLIENT_ID = 'squitter-secure';

/** Creates certificates in the folder, and the settings of a node that uses them. */
export function secureKafka(folder: string, ports: SecurityPorts): SecureAccess & NodeSecurity {
  const { caFile, server, client } = makeCertificates(folder);
  const keyStore = join(folder, 'server.both.pem');
  writeFileSync(keyStore, readFileSync(server.keyFile, 'utf8') + readFileSync(server.certFile, 'utf8'), { mode: 0o600 });
  const password = randomBytes(12).toString('hex');
  const login = (module: string, options = ''): string => `org.apache.kafka.common.security.${module} required ${options};`;
  const address = (port: number): string => `127.0.0.1:${port}`;
  const listeners = `SASL_SSL://${address(ports.password)},SSL://${address(ports.certificate)},INTERNAL://${address(ports.internal)}`;
  return {
    properties: {
      listeners: `${listeners},CONTROLLER://${address(ports.controller)}`,
      'advertised.listeners': listeners,
      'listener.security.protocol.map': 'SASL_SSL:SASL_SSL,SSL:SSL,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT',
      'inter.broker.listener.name': 'INTERNAL',
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.location': keyStore,
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.location': caFile,
      'listener.name.ssl.ssl.client.auth': 'required',
      'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      'listener.name.sasl_ssl.plain.sasl.jaas.config': login('plain.PlainLoginModule', `user_${USERNAME}="${password}"`),
      'listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config': login('scram.ScramLoginModule'),
      'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config': login('scram.ScramLoginModule'),
    },
    formatArgs: ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((name) => ['--add-scram', `${name}=[name=${USERNAME},password=${password}]`]),
    withPassword: (mechanism) => ({
      brokers: [address(ports.password)],
      clientId: CLIENT_ID,
      tls: { caFile },
      sasl: { mechanism, username: USERNAME, password },
    }),
    withCertificate: { brokers: [address(ports.certificate)], clientId: CLIENT_ID, tls: { caFile, ...client } },
  };
}
