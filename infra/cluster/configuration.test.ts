// Configuration of the services: refused values, hidden secrets, and the generated document. TLS and logins: test/cluster/cluster-services.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { kafkaConnection, registryAccess } from '../../pipeline/log/cluster-options.ts';
import { type Environment, parseOptions, readOptions } from '../../pipeline/runtime/options.ts';
import { unknownVariables } from '../services/options/shared-options.ts';
import { configCommand } from './config-command.ts';
import { problemsOf, services, serviceTables } from './configuration.ts';
import { configurationDocument } from './configuration-document.ts';

const queryApiOptions = services['query-api'].options;
const folder = mkdtempSync(join(tmpdir(), 'squitter-configuration-'));
afterAll(() => rmSync(folder, { recursive: true }));
const pem = join(folder, 'some.pem');
writeFileSync(pem, '');

const whole = {
  SQUITTER_KAFKA_BROKERS: 'kafka-1:9092,kafka-2:9092',
  SQUITTER_REGISTRY_URL: 'http://registry:8080/apis/ccompat/v7/',
  SQUITTER_SECRET_FILE: '/run/secret',
};
const wrong = (env: Environment): string[] => {
  const { options, problems } = readOptions(queryApiOptions, [], { ...whole, ...env });
  return [...problems, ...problemsOf(options)].map(({ message }) => message);
};

describe('the configuration of a service', () => {
  it('is complete with brokers, registry and the secret of the installation; callers have tiers', () => {
    expect(wrong({})).toEqual([]);
    const { options } = parseOptions(queryApiOptions, [], whole);
    expect(options.access).toBe('tiers');
    expect(kafkaConnection(options, 'me')).toEqual({ brokers: ['kafka-1:9092', 'kafka-2:9092'], clientId: 'me' });
    expect(registryAccess(options)).toEqual({ url: 'http://registry:8080/apis/ccompat/v7' });
    expect(wrong({ SQUITTER_REDIS_URL: 'rediss://redis:6380/1', SQUITTER_REDIS_CA_FILE: pem })).toEqual([]);
    const push = { SQUITTER_PUSH_UPSTREAM: 'push-1:8081, push-2:8081', SQUITTER_PUSH_SECRET: 'hidden-0123456789' };
    expect(wrong(push)).toEqual([]);
  });

  it.each<[Environment, RegExp]>([
    [{ SQUITTER_KAFKA_BROKERS: '' }, /--brokers HOST:PORT \(SQUITTER_KAFKA_BROKERS\) is missing/],
    [{ SQUITTER_KAFKA_BROKERS: 'kafka' }, /SQUITTER_KAFKA_BROKERS cannot be kafka/],
    [{ SQUITTER_SECRET_FILE: '' }, /--secret-file FILE \(SQUITTER_SECRET_FILE\) is missing/],
    [{ SQUITTER_ACCESS: 'closed' }, /SQUITTER_ACCESS cannot be closed: expected one of home, tiers, open/],
    [{ SQUITTER_TRUSTED_PROXY: '10.0.0.0/33' }, /SQUITTER_TRUSTED_PROXY cannot be 10.0.0.0\/33/],
    [{ SQUITTER_REGISTRY_URL: 'registry' }, /SQUITTER_REGISTRY_URL cannot be registry/],
    [{ SQUITTER_REGISTRY_URL: 'http://me:hidden@registry' }, /their own options/],
    [{ SQUITTER_KAFKA_CA_FILE: pem }, /the option has no effect without SQUITTER_KAFKA_TLS/],
    [{ SQUITTER_KAFKA_TLS: '1', SQUITTER_KAFKA_CERT_FILE: pem }, /SQUITTER_KAFKA_KEY_FILE.* is missing/],
    [{ SQUITTER_KAFKA_TLS: '1', SQUITTER_KAFKA_CA_FILE: '/nowhere/ca.pem' }, /SQUITTER_KAFKA_CA_FILE cannot be .*ENOENT/],
    [{ SQUITTER_KAFKA_SASL: 'kerberos' }, /expected one of plain, scram-sha-256, scram-sha-512/],
    [{ SQUITTER_KAFKA_SASL: 'plain', SQUITTER_KAFKA_PASSWORD: 'hidden' }, /SQUITTER_KAFKA_USERNAME.* is missing/],
    [{ SQUITTER_KAFKA_PASSWORD: 'hidden' }, /SQUITTER_KAFKA_PASSWORD cannot be \*+: the option has no effect without SQUITTER_KAFKA_SASL/],
    [{ SQUITTER_REGISTRY_PASSWORD: 'hidden' }, /SQUITTER_REGISTRY_USERNAME.* is missing/],
    [{ SQUITTER_REGISTRY_CA_FILE: pem }, /no https URL/],
    [{ SQUITTER_REDIS_URL: 'redis://:hidden@redis' }, /have their own options/],
    [{ SQUITTER_REDIS_URL: 'redis://redis', SQUITTER_REDIS_CA_FILE: pem }, /expected a rediss:/],
    [
      { SQUITTER_PUSH_UPSTREAM: 'push-1:8081,push-2:8081' },
      /SQUITTER_PUSH_UPSTREAM cannot be push-1:8081,push-2:8081: SQUITTER_PUSH_SECRET is missing/,
    ],
    [{ SQUITTER_PUSH_SECRET: 'hidden' }, /SQUITTER_PUSH_SECRET cannot be \*+: expected 16 to 200/],
    [{ SQUITTER_LOG_LEVEL: 'loud' }, /expected one of debug, info, warn, error/],
  ])('is refused if values contradict: %j', (env, message) => {
    const messages = wrong(env);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(message);
    expect(messages[0]).not.toContain('hidden');
  });

  it('has no unknown variables but those of Kubernetes', () => {
    const kubernetes = ['SQUITTER_FOLD_SERVICE_HOST', 'SQUITTER_FOLD_SERVICE_PORT_HTTP', 'SQUITTER_FOLD_PORT_80_TCP_ADDR'];
    const names = ['PATH', 'SQUITTER_KAFKA_BROKER', 'SQUITTER_KAFKA_PASSWORD_FILE', 'SQUITTER_LISTEN', ...kubernetes];
    expect(unknownVariables(names, serviceTables)).toEqual(['SQUITTER_KAFKA_BROKER']);
  });
});

describe('squitter config', () => {
  async function config(argv: readonly string[], env: Environment) {
    // Holds the whole text.
    const stdout = new PassThrough({ highWaterMark: 2 ** 20 });
    const { options, words } = parseOptions(configCommand.options, argv, env, true);
    const signal = new AbortController().signal;
    const context = { options, words, env, stdin: new PassThrough(), stdout, stderr: new PassThrough(), signal };
    return { status: await configCommand.run(context), text: String(stdout.read()) };
  }

  it('prints every value and its source, but no secret', async () => {
    const env = { ...whole, SQUITTER_KAFKA_SASL: 'plain', SQUITTER_KAFKA_USERNAME: 'me', SQUITTER_KAFKA_PASSWORD: 'hidden' };
    const { status, text } = await config(['check', 'fold', '--http', '0.0.0.0:9000'], env);
    expect(text).toMatch(/SQUITTER_KAFKA_BROKERS +kafka-1:9092,kafka-2:9092 +environment/);
    expect(text).toMatch(/SQUITTER_HTTP +0\.0\.0\.0:9000 +--http/);
    expect(text).toMatch(/SQUITTER_KAFKA_PASSWORD +\*+ +environment/);
    expect(text).toMatch(/SQUITTER_LOG_LEVEL +info +default/);
    expect(text).not.toContain('hidden');
    expect([status, text]).toEqual([0, expect.stringMatching(/config: no problems\n$/)]);
  });

  it('prints the problems of all services, one per line; refuses unknown services and flags', async () => {
    const { status, text } = await config(['check'], { SQUITTER_REGISTRY_URL: whole.SQUITTER_REGISTRY_URL, SQUITTER_TYPO: '1' });
    expect(text.match(/^wrong: --brokers/gm)).toHaveLength(Object.keys(services).length);
    expect(text).toContain('wrong: there is no variable SQUITTER_TYPO');
    expect([status, text]).toEqual([1, expect.stringMatching(/config: 14 problems\n$/)]);
    for (const [words, code] of [
      ['check flod', 'usage.bad_value'],
      ['check fold --listen x', 'usage.unknown_flag'],
      ['chekc', 'usage.unknown_word'],
    ] as const)
      await expect(config(words.split(' '), {})).rejects.toMatchObject({ code });
  });

  it('documents the option tables: CONFIGURATION.md is the output of `squitter config docs`', () => {
    expect(readFileSync(new URL('./CONFIGURATION.md', import.meta.url), 'utf8')).toBe(configurationDocument());
  });
});
