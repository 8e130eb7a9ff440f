// The tools from the command line: simulate writes a file, decode and fold read it, replay puts it into a log, tail and audit read the log.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { squitter, temporaryFolder } from '../support/service.ts';

type Row = Record<string, unknown>;
const rows = (text: string): Row[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

describe('the tools', () => {
  const folder = temporaryFolder();
  afterAll(folder.remove);
  const file = join(folder.path, 'traffic.beast');
  const data = join(folder.path, 'data');

  beforeAll(async () => {
    const run = await squitter(['simulate', '--aircraft', '30', '--minutes', '1', '--seed', '7', '--out', file]);
    expect(run.code, run.stderr).toBe(0);
  });

  it('decode: a line per frame, in order, accepted or with a reason; gzip and standard input give the same', async () => {
    const run = await squitter(['decode', file]);
    expect(run.code, run.stderr).toBe(0);
    const lines = rows(run.stdout);
    expect(lines.map(({ i }) => i)).toEqual(lines.map((_, i) => i));
    expect(lines.filter(({ accepted }) => accepted === true).length).toBeGreaterThan(lines.length * 0.7);
    for (const { accepted, reason } of lines) expect(accepted === (reason === undefined)).toBe(true);
    expect(lines.some(({ lat }) => lat !== undefined)).toBe(true);

    const zipped = join(folder.path, 'traffic.gz');
    writeFileSync(zipped, gzipSync(readFileSync(file)));
    expect((await squitter(['decode', zipped])).stdout).toBe(run.stdout);
    expect((await squitter(['decode', '-'], { input: readFileSync(file) })).stdout).toBe(run.stdout);
  });

  it('fold: positions, seconds or the end, in event time', async () => {
    const [positions, seconds, end] = await Promise.all(
      ['position', '1s', 'end'].map(async (emit) =>
        rows((await squitter(['fold', file, '--emit', emit, '--start', '2026-01-31T12:00:00Z'])).stdout),
      ),
    );
    expect(positions!.every(({ lat, lon, seen_pos }) => lat !== undefined && lon !== undefined && seen_pos === 0)).toBe(true);
    expect(new Set(seconds!.map(({ now }) => now)).size).toBeGreaterThan(50);
    expect(seconds!.every(({ now }) => Number.isInteger(now))).toBe(true);
    expect(end!.length).toBeGreaterThan(25);
    expect(Number(end![0]!['now'])).toBeCloseTo(Date.parse('2026-01-31T12:01:00Z') / 1000, -1);
  });

  it('fold --emit 1s: every second, also in gaps, and only the aircraft of /data/aircraft.json; values pass to a lower source after 15 s', async () => {
    const frames = [
      [0.1, '5d4840d6f8740f'],
      [0.2, '8d4840d69945168380d50002f8e9'],
      [1.2, '8d4840d69945168380d50002f8e9'],
      [1.5, '5d4840d6f8740f'],
      [17, 'a0000d18801c0125a0049b9e0aa5'],
      ...[17.5, 18.5, 19.5, 31].map((t) => [t, '5d4840d6f8740f']),
      // One message creates an aircraft, but it is not listed yet.
      [31.2, '8d406b902015a678d4d220aa4bda'],
      [200, '5d4840d6f8740f'],
      [201, '5d4840d6f8740f'],
    ] as const;
    const input = frames.map(([t, hex]) => `${(1_700_000_000 + Number(t)).toFixed(1)},${hex}\n`).join('');
    const seconds = rows((await squitter(['fold', '-', '--emit', '1s'], { input })).stdout);
    const known = seconds.map(({ now, hex, gs, track }) => [Number(now) - 1_700_000_000, hex, gs, track]);
    const listedTo = 31 + 60;
    const expected = Array.from({ length: listedTo }, (_, i) => i + 1).map((second) => {
      // A value stays for 60 s after its message.
      const [gs, track] = second <= 17 ? [278.3, 264.43] : second <= 77 ? [300, 270] : [undefined, undefined];
      return [second, '4840d6', gs, track];
    });
    expect(known).toEqual([...expected, [201, '4840d6', undefined, undefined]]);
  });

  it('replay into a log: tail prints the frames, and an older file is refused', async () => {
    const start = '2026-01-31T12:00:00Z';
    const replay = await squitter(['replay', file, '--data', data, '--speed', 'max', '--start', start]);
    expect(replay.code, replay.stderr).toBe(0);
    const frames = Number(/replay: (\d+) frames/.exec(replay.stderr)?.[1]);

    const csv = await squitter(['tail', 'frames', '--csv', '--data', data]);
    const lines = csv.stdout.trim().split('\n');
    expect(lines[0]).toBe('t,hex');
    expect(lines.length - 1).toBe(frames);
    const late = await squitter(['tail', 'adsb.frames.v1', '--data', data, '--from', '2026-01-31T12:00:30Z']);
    expect(rows(late.stdout).every(({ time }) => Date.parse(String(time)) >= Date.parse('2026-01-31T12:00:30Z'))).toBe(true);
    expect(rows(late.stdout)[0]).toMatchObject({ topic: 'adsb.frames.v1', key: null });
    const receivers = rows(late.stdout).flatMap(({ value }) => (value as { receivers: string[] }).receivers);
    expect(new Set(receivers).size).toBeGreaterThan(2);
    const audit = await squitter(['audit', '--data', data]);
    expect(audit.code).toBe(0);
    expect(audit.stdout).toMatch(/^\d+ frame records are not folded yet and not compared: a running service folds them$/m);

    const older = await squitter(['replay', file, '--data', data, '--speed', 'max', '--start', '2026-01-30T12:00:00Z']);
    expect(older.code).toBe(1);
    expect(older.stderr).toContain('input.older_than_log');
    expect(replay.stderr).not.toContain('are in the future');
    const future = await squitter(['replay', file, '--data', data, '--speed', 'max', '--start', '2126-01-30T12:00:00Z']);
    expect(future.code).toBe(0);
    expect(future.stderr.match(/frames of 2126-01-30T12:00:0.* are in the future/g)).toHaveLength(1);
  });

  it('a command that fails says why in one clear line', async () => {
    const failures = {
      'decode no-such-file': 'input.unreadable',
      'audit --data no-such-folder': 'log.not_found',
      'replay README.md --to 127.0.0.1:1': 'connect.failed',
      'fold LICENSE': 'input.unknown_format',
      'tail positions --csv --data x': 'usage.bad_value',
    };
    const runs = Object.entries(failures).map(async ([command, code]) => {
      const { stdout, stderr, code: status } = await squitter(command.split(' '));
      expect([command, status, stdout, stderr]).toEqual([
        ...[command, code.startsWith('usage.') ? 2 : 1, '', expect.stringContaining(`[${code}]`)],
      ]);
      expect(stderr).not.toMatch(/\n\s+at /);
    });
    await Promise.all(runs);
  });
});
