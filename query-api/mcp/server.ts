// The tool server of the Model Context Protocol: one object of the SDK with all handlers, over anything that answers tools and resources. HTTP makes one for
// each request, `squitter mcp` one for its process.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { limits } from '../../schemas/limits/index.ts';
import { type ToolName, toolDefinitions, toolNames } from './definitions.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { preparePrompt, promptList } from './prompts.ts';
import { type ResourceContents, resources, resourceTemplates } from './resources.ts';
import { INVALID_PARAMS, RpcError } from './rpc-error.ts';
import type { ToolArguments, ToolResult } from './tools.ts';

/** Live data: of this process, or of a service elsewhere. */
export interface ToolSource {
  callTool(name: ToolName, given: ToolArguments): ToolResult | Promise<ToolResult>;
  readResource(uri: string): ResourceContents | Promise<ResourceContents>;
}

/** The server never asks its client for anything, so it has nothing to validate. Without it the SDK makes a validator for each server. */
const jsonSchemaValidator = {
  getValidator: () => (): never => {
    throw new Error('the tool server validates no responses of clients');
  },
};

export interface ToolServerOptions {
  /** Version of the package. */
  readonly version: string;
  /** Called with a name that is not a tool's. */
  readonly onUnknownTool?: () => void;
}

export function createToolServer(source: ToolSource, { version, onUnknownTool = () => {} }: ToolServerOptions): Server {
  const server = new Server(
    { name: 'squitter', title: 'Squitter: live aircraft', version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...toolDefinitions] }) as never);
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    if (!isTool(params.name)) {
      onUnknownTool();
      throw new RpcError(
        INVALID_PARAMS,
        `there is no tool ${params.name.slice(0, limits.toolShownCharactersMax)}: the tools are ${toolNames.join(', ')}`,
      );
    }
    return source.callTool(params.name, params.arguments ?? {});
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => source.readResource(params.uri));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: promptList }));
  server.setRequestHandler(GetPromptRequestSchema, async ({ params }) => {
    const { description, text, resource } = preparePrompt(params.name, params.arguments ?? {});
    const attached = resource === null ? [] : (await source.readResource(resource)).contents;
    const contents = [{ type: 'text' as const, text }, ...attached.map((each) => ({ type: 'resource' as const, resource: each }))];
    return { description, messages: contents.map((content) => ({ role: 'user' as const, content })) };
  });
  return server;
}

function isTool(name: string): name is ToolName {
  return (toolNames as readonly string[]).includes(name);
}
