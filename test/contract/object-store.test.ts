// The upload of daily files to a real server of the S3 protocol: moto, from PyPI.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3mini } from 's3mini';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ObjectStore } from '../../exporters/catalog/object-store.ts';
import type { DailyManifest } from '../../schemas/daily-file.ts';
import { historyLimits } from '../../schemas/history-limits.ts';
import { pythonWith } from '../support/python.ts';

const python = pythonWith('moto[s3]==5.1.22', 'flask==3.1.3', 'flask-cors==6.0.5');
const access = { region: 'eu-west-1', accessKey: 'key', secretKey: 'secret', publicUrl: 'https://files.example.org' };

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.skipIf(!python.met)(`object storage ${python.reason}`, () => {
  let dir: string;
  let origin: string;
  let server: ReturnType<typeof spawn>;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'squitter-objects-'));
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    server = spawn(python.path, ['-c', `from moto.server import main; main(['-H', '127.0.0.1', '-p', '${port}'])`], { stdio: 'ignore' });
    const answers = (): Promise<boolean> =>
      fetch(origin).then(
        () => true,
        () => false,
      );
    while (server.exitCode === null && !(await answers())) await new Promise((resolve) => setTimeout(resolve, 100));
  }, 90_000);
  afterAll(() => {
    server?.kill();
    rmSync(dir, { recursive: true });
  });

  const bucket = async (name: string) => {
    const url = `${origin}/${name}`;
    const s3 = new S3mini({ accessKeyId: 'key', secretAccessKey: 'secret', endpoint: url, region: 'eu-west-1' });
    await s3.createBucket();
    return { s3, open: () => new ObjectStore({ ...access, url }) };
  };
  const day = (name: string, positions: Buffer): DailyManifest => {
    const files = [
      { kind: 'positions' as const, content: positions },
      { kind: 'flights' as const, content: Buffer.from('flights') },
    ].map(({ kind, content }) => {
      const file = `${kind}-${name}.parquet`;
      writeFileSync(join(dir, file), content);
      return { name: file, kind, rows: 1, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
    });
    writeFileSync(join(dir, `preview-${name}.svg`), '<svg/>');
    return {
      version: 1,
      day: name,
      licence: 'ODbL-1.0',
      attribution: '',
      files,
      frames: [],
      flightsEnded: [],
      referenceSha256: '',
      writer: 'test',
    };
  };

  it('gets the files of a day, large ones in parts, then its manifest and the list of days', async () => {
    const { s3, open } = await bucket('whole');
    const large = randomBytes(historyLimits.uploadPartBytes + 1_000_000);
    expect(await open().publish(dir, day('2026-01-30', Buffer.from('small')))).toBe('uploaded');
    const manifest = day('2026-01-31', large);
    expect(await open().publish(dir, manifest)).toBe('uploaded');
    expect(Buffer.from((await s3.getObjectArrayBuffer('positions-2026-01-31.parquet'))!).equals(large)).toBe(true);
    expect(JSON.parse((await s3.getObject('manifest-2026-01-31.json'))!)).toEqual(manifest);
    const index = JSON.parse((await s3.getObject('index.json'))!);
    expect(index).toMatchObject({ latest: '2026-01-31', days: [{ day: '2026-01-31' }, { day: '2026-01-30' }] });
    expect(index.days[0].files[0].url).toBe('https://files.example.org/positions-2026-01-31.parquet');
    expect(await s3.getObject('SHA256SUMS')).toContain(manifest.files[0]!.sha256);
    expect(await open().publish(dir, manifest)).toBe('same');
  });

  it('takes two uploaders at once, and refuses a day with other files', async () => {
    const { open } = await bucket('two');
    const [one, other] = [day('2026-01-30', Buffer.from('a')), day('2026-01-31', Buffer.from('b'))];
    await Promise.all([open().publish(dir, one), open().publish(dir, other), open().publish(dir, one)]);
    expect((await open().days()).map((manifest) => manifest.day)).toEqual(['2026-01-31', '2026-01-30']);
    await expect(open().publish(dir, day('2026-01-31', Buffer.from('c')))).rejects.toMatchObject({ code: 'export.day_differs' });
  });

  it('is an error while the storage is away or refuses', async () => {
    const away = new ObjectStore({ ...access, url: 'http://127.0.0.1:9/bucket' });
    await expect(away.publish(dir, day('2026-01-31', Buffer.from('a')))).rejects.toMatchObject({ code: 'export.upload_failed' });
    const missing = new ObjectStore({ ...access, url: `${origin}/missing` });
    await expect(missing.publish(dir, day('2026-01-31', Buffer.from('a')))).rejects.toMatchObject({ code: 'export.upload_failed' });
  });
});
