// A real Redis on this machine.
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
  /** Where its append-only file lies. Given, it is kept and a later start goes on with it; else the folder is temporary. */
  readonly dir?: string;
  readonly password?: string;
  /** Clients have to come with TLS and trust the authority. */
  readonly tls?: Pick<Certificates, 'caFile' | 'server'>;
}

const ANSWER_MS_MAX = 2000;

/** Starts Redis and waits until it answers; its `url` holds the password. Errors: `local.missing_program`, `local.not_started`. */
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
        // What limits and jobs keep must never give way to something newer.
        'maxmemory-policy': 'noeviction',
        ...(password === undefined ? {} : { requirepass: password }),
      };
      const settingsFile = join(folder.path, 'redis.conf');
      const lines = Object.entries(settings).map(([name, value]) => `${name} ${JSON.stringify(String(value))}\n`);
      writeFileSync(settingsFile, lines.join(''), { mode: 0o600 });
      const launch = () => {
        const logFile = join(folder.path, 'redis.log');
        const program = startProgram({ name: 'Redis', command: 'redis-server', args: [settingsFile], logFile });
        return untilReady(program, () => answers(url, program.pid, tls?.caFile));
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

/** Whether the process `pid` answers there: the port could belong to another Redis. */
async function answers(url: string, pid: number, caFile: string | undefined): Promise<boolean> {
  const tls = caFile === undefined ? {} : { tls: { ca: readFileSync(caFile) } };
  const client = new Redis(url, { lazyConnect: true, retryStrategy: null, commandTimeout: ANSWER_MS_MAX, ...tls });
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
