// Connection limits of a service: the options, lowered to what the system's descriptor limit allows.
import type { Logger } from 'pino';
import { type ConnectionShares, connectionShares, descriptorLimit } from '../../../pipeline/runtime/descriptors.ts';
import { integerBetween } from '../../../pipeline/runtime/options.ts';
import { limits } from '../../../schemas/limits.ts';

const CONNECTIONS_MAX = 1_000_000;

const connectionsOption = <Fallback extends number | null>(flag: string, env: string, help: string, fallback: Fallback) =>
  ({ flag, value: 'N', env, help, fallback, parse: integerBetween(1, CONNECTIONS_MAX) }) as const;

export const httpConnectionOptions = {
  httpConnections: connectionsOption(
    'http-connections',
    'SQUITTER_HTTP_CONNECTIONS',
    'maximum number of HTTP connections; lowered if the limit of open files (ulimit -n) is low',
    limits.httpConnectionsMax as number,
  ),
} as const;

export const feederConnectionOptions = {
  feederConnections: connectionsOption(
    'feeder-connections',
    'SQUITTER_FEEDER_CONNECTIONS',
    'maximum number of feeder connections; lowered if the limit of open files (ulimit -n) is low',
    limits.feederConnectionsMax as number,
  ),
  feederConnectionsPerAddress: connectionsOption(
    'feeder-connections-per-address',
    'SQUITTER_FEEDER_CONNECTIONS_PER_ADDRESS',
    `maximum number of feeder connections per address (default ${limits.feederConnectionsPerAddressMax}, or a quarter of all if that is less); raise it if feeders connect through a proxy`,
    null as number | null,
  ),
} as const;

export const pushConnectionOptions = {
  pushConnections: connectionsOption(
    'push-connections',
    'SQUITTER_PUSH_CONNECTIONS',
    'maximum number of subscribers of the streams; lowered if the limit of open files (ulimit -n) is low',
    limits.pushConnectionsMax as number,
  ),
} as const;

export const grpcConnectionOptions = {
  grpcConnections: connectionsOption(
    'grpc-connections',
    'SQUITTER_GRPC_CONNECTIONS',
    'maximum number of gRPC connections; lowered if the limit of open files (ulimit -n) is low',
    limits.grpcConnectionsMax as number,
  ),
} as const;

/** Connections that fit under the descriptor limit of this process beside `others`. Logs a warning if that is fewer than wanted. */
export function fittingConnections(wanted: Partial<ConnectionShares>, logger: Logger, others = 0): ConnectionShares {
  const limit = descriptorLimit();
  const shares = connectionShares(wanted, limit === null ? null : limit - others);
  if ((['http', 'feeders', 'push', 'grpc'] as const).some((kind) => shares[kind] < (wanted[kind] ?? 0)))
    logger.warn({ descriptors: limit, ...shares }, 'the limit of open files is low (ulimit -n): fewer connections are accepted');
  return shares;
}
