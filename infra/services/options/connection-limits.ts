// Connection limits of a service: the options, lowered to what the system's descriptor limit allows.
import type { Logger } from 'pino';
import { type ConnectionShares, connectionShares, descriptorLimit } from '../../../pipeline/runtime/descriptors.ts';
import { integerBetween, textOption } from '../../../pipeline/runtime/options.ts';
import { limits } from '../../../schemas/limits/index.ts';

const connectionsOption = (flag: string, what: string, fallback: number) => ({
  ...textOption(flag, 'N', `maximum number of ${what}; lowered if the limit of open files (ulimit -n) is low`),
  ...{ fallback, parse: integerBetween(1, limits.connectionsOptionMax) },
});

export const connectionOptions = {
  httpConnections: connectionsOption('http-connections', 'HTTP connections', limits.httpConnectionsMax),
  feederConnections: connectionsOption('feeder-connections', 'feeder connections', limits.feederConnectionsMax),
  feederConnectionsPerAddress: {
    ...textOption(
      'feeder-connections-per-address',
      'N',
      `maximum number of feeder connections per address (default ${limits.feederConnectionsPerAddressMax}, or a quarter of all if that is less); raise it if feeders connect through a proxy`,
    ),
    fallback: null as number | null,
    parse: integerBetween(1, limits.connectionsOptionMax),
  },
  pushConnections: connectionsOption('push-connections', 'subscribers of the streams', limits.pushConnectionsMax),
  grpcConnections: connectionsOption('grpc-connections', 'gRPC connections', limits.grpcConnectionsMax),
} as const;

/** Connections that fit under the descriptor limit of this process beside `others`. Logs a warning if that is fewer than wanted. */
export function fittingConnections(wanted: Partial<ConnectionShares>, logger: Logger, others = 0): ConnectionShares {
  const limit = descriptorLimit();
  const shares = connectionShares(wanted, limit === null ? null : limit - others);
  if ((['http', 'feeders', 'push', 'grpc'] as const).some((kind) => shares[kind] < (wanted[kind] ?? 0)))
    logger.warn({ descriptors: limit, ...shares }, 'the limit of open files is low (ulimit -n): fewer connections are accepted');
  return shares;
}
