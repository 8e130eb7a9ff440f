// How many connections a service accepts: options, and what the system's limit of descriptors leaves of them.
import type { Logger } from 'pino';
import { type ConnectionShares, connectionShares, descriptorLimit } from '../../pipeline/runtime/descriptors.ts';
import { integerBetween } from '../../pipeline/runtime/options.ts';
import { limits } from '../../schemas/limits.ts';

const CONNECTIONS_MAX = 1_000_000;

const connectionsOption = (flag: string, env: string, help: string, fallback: number) =>
  ({ flag, value: 'N', env, help, fallback, parse: integerBetween(1, CONNECTIONS_MAX) }) as const;

export const httpConnectionOptions = {
  httpConnections: connectionsOption(
    'http-connections',
    'SQUITTER_HTTP_CONNECTIONS',
    'HTTP connections at a time; fewer where the limit of open files (ulimit -n) is low',
    limits.httpConnectionsMax as number,
  ),
} as const;

export const feederConnectionOptions = {
  feederConnections: connectionsOption(
    'feeder-connections',
    'SQUITTER_FEEDER_CONNECTIONS',
    'feeder connections at a time; fewer where the limit of open files (ulimit -n) is low',
    limits.feederConnectionsMax as number,
  ),
  feederConnectionsPerAddress: connectionsOption(
    'feeder-connections-per-address',
    'SQUITTER_FEEDER_CONNECTIONS_PER_ADDRESS',
    'feeder connections of one address at a time; raise it where feeders come through a proxy',
    limits.feederConnectionsPerAddressMax as number,
  ),
} as const;

/** What fits under the limit of this process; a log line says so where that is less than wanted. */
export function fittingConnections(wanted: ConnectionShares, logger: Logger): ConnectionShares {
  const descriptors = descriptorLimit();
  const shares = connectionShares(wanted, descriptors);
  if (shares.http < wanted.http || shares.feeders < wanted.feeders)
    logger.warn({ descriptors, ...shares }, 'the limit of open files is low (ulimit -n): fewer connections are accepted');
  return shares;
}
