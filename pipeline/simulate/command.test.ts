// `squitter simulate`: files that the project's own reader accepts, complete or absent.
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { SquitterError } from '../../schemas/errors.ts';
import { openFrameFile } from '../ingest/file-reader.ts';
import { EXIT_DONE, EXIT_FAILED } from '../runtime/command.ts';
import { parseOptions } from '../runtime/options.ts';
import { simulateCommand } from './command.ts';
import { createTraffic } from './traffic.ts';

async function simulate(flags: readonly string[], signal: AbortSignal = new AbortController().signal) {
  const stdout = new PassThrough({ highWaterMark: 64 * 1024 * 1024 });
  const stderr = new PassThrough();
  const { options, words } = parseOptions(simulateCommand.options, flags, {});
  const status = await simulateCommand.run({ options, words, env: {}, stdin: new PassThrough(), stdout, stderr, signal });
  return { status, stdout: (stdout.read() as Buffer | null) ?? Buffer.alloc(0), messages: String(stderr.read() ?? '') };
}

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'squitter-simulate-'));
}

describe('squitter simulate', () => {
  test('the file contains the traffic, frame by frame, with its times', async () => {
    const dir = folder();
    const out = join(dir, 'a.beast');
    const { status, messages } = await simulate(['--aircraft', '40', '--minutes', '0.2', '--seed', '5', '--out', out]);
    expect(status).toBe(EXIT_DONE);
    expect(messages).toMatch(/^[\d,]+ frames of 40 aircraft/);
    expect(readdirSync(dir)).toEqual(['a.beast']);
    const expected: string[] = [];
    createTraffic({ aircraft: 40, seed: 5, startUs: 0 }).advance(12_000_000, (frame) => {
      expected.push(
        `${Math.max(1, frame.timeUs)} ${frame.signal} ${Buffer.from(frame.bytes.subarray(0, frame.byteLength)).toString('hex')}`,
      );
    });
    const found: string[] = [];
    const file = await openFrameFile(out);
    for await (const chunk of file.chunks()) {
      for (const frame of chunk.rows) {
        expect(frame.reason).toBeNull();
        const hex = Buffer.from(frame.bytes.subarray(frame.at, frame.at + frame.byteLength)).toString('hex');
        found.push(`${Math.max(1, frame.timeUs)} ${frame.signal} ${hex}`);
      }
    }
    expect(found).toEqual(expected);
    expect(found.length).toBeGreaterThan(2000);
  });

  test('one receiver has fewer frames, and contains no receiver id', async () => {
    const flags = ['--aircraft', '40', '--minutes', '0.1', '--seed', '5', '--out', '-'];
    const { stdout } = await simulate(flags);
    const one = await simulate([...flags, '--receiver', '0']);
    expect(one.stdout.length).toBeGreaterThan(0);
    expect(one.stdout.length).toBeLessThan(stdout.length / 2);
    expect(one.stdout.includes(Buffer.from([0x1a, 0xe3]))).toBe(false);
    expect(stdout.includes(Buffer.from([0x1a, 0xe3]))).toBe(true);
  });

  test('a stopped run leaves no file', async () => {
    const dir = folder();
    const stop = new AbortController();
    stop.abort();
    const { status } = await simulate(['--out', join(dir, 'a.beast')], stop.signal);
    expect(status).toBe(EXIT_FAILED);
    expect(readdirSync(dir)).toEqual([]);
  });

  test('wrong flags and endpoints are named', async () => {
    const codeOf = async (flags: string[]) => simulate(flags).catch((error: SquitterError) => error.code);
    expect(await codeOf([])).toBe('usage.missing_argument');
    expect(await codeOf(['--aircraft', '0', '--out', '-'])).toBe('usage.bad_value');
    expect(await codeOf(['--receiver', '99', '--aircraft', '10', '--out', '-'])).toBe('usage.bad_value');
    const missing = join(folder(), 'no', 'a.beast');
    expect(await codeOf(['--aircraft', '10', '--out', missing])).toBe('output.not_writable');
    expect(existsSync(missing)).toBe(false);
  });
});
