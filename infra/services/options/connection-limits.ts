// Connection limits of a service: the options, lowered to what the system's descriptor limit allows.
import type { Logger } from 'pino';
import { type ConnectionShares, connectionShares, descriptorLimit } from '../../../pipeline/runtime/descriptors.ts';
import { integerBetween, textOption } from '../../../pipeline/runtime/options.ts';
import { limits } from '../../../schemas/limits/index.ts';

const connectionsOption = (flag: string, env: string, what: string, fallback: number) =>
  ({
    ...{ flag, value: 'N', env, fallback, parse: integerBetween(1, limits.connectionsOptionMax) },
    help: `maximum number of ${what}; lowered if the limit of open files (ulimit -n) is low`,
  }) as const;

export const httpConnectionOptions = {
  httpConnections: connectionsOption('http-connections', 'SQUITTER_HTTP_CONNECTIONS', 'HTTP connections', limits.httpConnectionsMax),
} as const;

export const feederConnectionOptions = {
  feederConnections: connectionsOption(
    'feeder-connections',
    'SQUITTER_FEEDER_CONNECTIONS',
    'feeder connections',
    limits.feederConnectionsMax,
  ),
  feederConnectionsPerAddress: {
    ...textOption(
      'feeder-connections-per-address',
      'N',
      `maximum number of feeder connections per address (default ${limits.feederConnectionsPerAddressMax}, or a quarter of all if that is less); raise it if feeders connect through a proxy`,
    ),
    fallback: null as number | null,
    parse: integerBetween(1, limits.connectionsOptionMax),
  },
} as const;

export const pushConnectionOptions = {
  pushConnections: connectionsOption(
    'push-connections',
    'SQUITTER_PUSH_CONNECTIONS',
    'subscribers of the streams',
    limits.pushConnectionsMax,
  ),
} as const;

export const grpcConnectionOptions = {
  grpcConnections: connectionsOption('grpc-connections', 'SQUITTER_GRPC_CONNECTIONS', 'gRPC connections', limits.grpcConnectionsMax),
} as const;

/** Connections that fit under the descriptor limit of this process beside `others`. Logs a warning if that is fewer than wanted. */
export function fittingConnections(wanted: Partial<ConnectionShares>, logger: Logger, others = 0): ConnectionShares {
  const limit = descriptorLimit();
  const shares = connectionShares(wanted, limit === null ? null : limit - others);
  if ((['http', 'feeders', 'push', 'grpc'] as const).some((kind) => shares[kind] < (wanted[kind] ?? 0)))
    logger.warn({ descriptors: limit, ...shares }, 'the limit of open files is low (ulimit -n): fewer connections are accepted');
  return shares;
}
