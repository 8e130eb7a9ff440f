// The commands of the executable, loaded on demand: `decode` does not wait for the web server's modules.
import type { Command } from '../../pipeline/runtime/command.ts';

export const commandLoaders: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('../embedded/start-command.ts')).startCommand,
  decode: async () => (await import('../../pipeline/tools/decode-command.ts')).decodeCommand,
  fold: async () => (await import('../../pipeline/tools/fold-command.ts')).foldCommand,
  replay: async () => (await import('../../pipeline/tools/replay/command.ts')).replayCommand,
  simulate: async () => (await import('../../pipeline/simulate/command.ts')).simulateCommand,
  tail: async () => (await import('../../pipeline/tools/tail-command.ts')).tailCommand,
  audit: async () => (await import('../../pipeline/tools/audit/command.ts')).auditCommand,
  log: async () => (await import('../../pipeline/tools/log-command.ts')).logCommand,
  service: async () => (await import('../cluster/service-command.ts')).serviceCommand,
  topics: async () => (await import('../cluster/topics-command.ts')).topicsCommand,
  config: async () => (await import('../cluster/config-command.ts')).configCommand,
  feeders: async () => (await import('./feeders-command.ts')).feedersCommand,
  keys: async () => (await import('./keys-command.ts')).keysCommand,
  verify: async () => (await import('../../pipeline/tools/verify/command.ts')).verifyCommand,
  mcp: async () => (await import('./mcp-command.ts')).mcpCommand,
  export: async () => (await import('./export-command.ts')).exportCommand,
  reference: async () => (await import('../../pipeline/reference/import-command.ts')).referenceCommand,
};
