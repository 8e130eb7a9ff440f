// The tool server for AI assistants on the HTTP port, in every profile.
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { packageVersion } from '../../pipeline/runtime/package-root.ts';
import type { CallerAccess } from '../../query-api/access/access.ts';
import { toolNames } from '../../query-api/mcp/definitions.ts';
import { toolProtocol } from '../../query-api/mcp/streamable-http.ts';
import type { Protocol } from '../../query-api/protocol.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';

export interface ToolServiceOptions {
  /** Public address without a trailing slash; '' if it is not known. */
  readonly baseUrl: string;
  readonly mcpTrial: boolean;
  readonly access: CallerAccess;
  readonly registry: Registry;
  readonly logger: Logger;
}

export function toolServer(model: ReadModel, { baseUrl, mcpTrial, access, registry, logger }: ToolServiceOptions): Protocol {
  const calls = new Counter({
    name: 'squitter_tool_calls_total',
    help: 'Calls of tools by AI assistants, by tool and result: ok, or the code of the error',
    labelNames: ['tool', 'result'],
    registers: [registry],
  });
  for (const tool of toolNames) calls.inc({ tool, result: 'ok' }, 0);
  return toolProtocol(model, {
    baseUrl,
    access,
    isTrialOpen: mcpTrial,
    version: packageVersion(),
    countCall: (tool, result) => calls.inc({ tool, result }),
    onFault: (err) => logger.error({ err }, 'a call of a tool failed'),
  });
}
