// The tool server for AI assistants on the HTTP port, in every profile.
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { Counters } from '../../../pipeline/runtime/counters.ts';
import { exportMetrics } from '../../../pipeline/runtime/metrics.ts';
import { packageVersion } from '../../../pipeline/runtime/package-root.ts';
import type { CallerAccess } from '../../../query-api/access/access.ts';
import { toolNames } from '../../../query-api/mcp/definitions.ts';
import { toolProtocol } from '../../../query-api/mcp/streamable-http.ts';
import type { Protocol } from '../../../query-api/protocol.ts';
import type { ReadModel } from '../../../query-api/queries/read-model.ts';

export interface ToolServiceOptions {
  /** Public address without a trailing slash; '' if it is not known. */
  readonly baseUrl: string;
  readonly mcpTrial: boolean;
  readonly access: CallerAccess;
  readonly registry: Registry;
  readonly logger: Logger;
}

export function toolServer(model: ReadModel, { baseUrl, mcpTrial, access, registry, logger }: ToolServiceOptions): Protocol {
  /** By result and tool, in this order. */
  const calls = new Counters();
  for (const tool of toolNames) calls.add(`ok ${tool}`, 0);
  exportMetrics(registry, {
    squitter_tool_calls_total: () =>
      [...calls.values].map(([key, count]) => {
        const [result = '', tool = ''] = key.split(' ');
        return [result, tool, count];
      }),
  });
  return toolProtocol(model, {
    baseUrl,
    access,
    isTrialOpen: mcpTrial,
    version: packageVersion(),
    countCall: (tool, result) => calls.add(`${result} ${tool}`),
    onFault: (err) => logger.error({ err }, 'a call of a tool failed'),
  });
}
