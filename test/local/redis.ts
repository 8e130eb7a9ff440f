// Starts a real Redis on this machine.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Certificates } from './certificates.ts';
import { withWorkFolder } from './folder.ts';
import { LocalProgram } from './local-program.ts';
import { requirePrograms } from './missing.ts';
import { onFreePort } from './ports.ts';
import { startProgram, untilReady } from './program.ts';

export interface LocalRedisOptions {
  /** Folder of the append-only file, kept for later starts. Without it, the folder is temporary. */
  readonly dir?: string;
  readonly password?: string;
  /** Requires TLS. Clients must trust the authority. */
  readonly tls?: Pick<Certificates, 'caFile' | 'server'>;
}

const RESPONSE_MS_MAX = 2000;

/** Starts Redis and waits until it responds. Its `url` contains the password. Errors: `local.missing_program`, `local.not_started`. */
export async function startRedis({ dir, password, tls }: LocalRedisOptions = {}): Promise<LocalProgram> {
  requirePrograms('redis-server');
  return withWorkFolder(dir, (folder) =>
    onFreePort((port) => {
      const url = `${tls === undefined ? 'redis' : 'rediss'}://${password === undefined ? '' : `:${encodeURIComponent(password)}@`}127.0.0.1:${port}`;
      const settings = {
        ...(tls === undefined ? { port } : tlsSettings(port, tls)),
        bind: '127.0.0.1',
        dir: folder.path,
        appendonly: 'yes',
        // Keys of limits and jobs must never be evicted.
        'maxmemory-policy': 'noeviction',
        ...(password === undefined ? {} : { requirepass: password }),
      };
      const settingsFile = join(folder.path, 'redis.conf');
      const lines = Object.entries(settings).map(([name, value]) => `${name} ${JSON.stringify(String(value))}\n`);
      writeFileSync(settingsFile, lines.join(''), { mode: 0o600 });
      const launch = () => {
        const logFile = join(folder.path, 'redis.log');
        const program = startProgram({ name: 'Redis', command: 'redis-server', args: [settingsFile], logFile });
        return untilReady(program, () => responds(url, program.pid, tls?.caFile));
      };
      return LocalProgram.start(url, launch, folder.leave);
    }),
  );
}

function tlsSettings(port: number, { caFile, server }: Pick<Certificates, 'caFile' | 'server'>): Record<string, string | number> {
  return {
    port: 0,
    'tls-port': port,
    'tls-cert-file': server.certFile,
    'tls-key-file': server.keyFile,
    'tls-ca-cert-file': caFile,
    'tls-auth-clients': 'no',
  };
}

/** True if the process `pid` responds there: the port could belong to another Redis. */
async function responds(url: string, pid: number, caFile: string | undefined): Promise<boolean> {
  const tls = caFile === undefined ? {} : { tls: { ca: readFileSync(caFile) } };
  const client = new Redis(url, { lazyConnect: true, retryStrategy: null, commandTimeout: RESPONSE_MS_MAX, ...tls });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.info('server')).includes(`process_id:${pid}\r\n`);
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}
