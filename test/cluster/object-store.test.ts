// The upload of daily files to a real server of the S3 protocol: moto, from PyPI.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3mini } from 's3mini';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ObjectStore } from '../../exporters/catalog/object-store.ts';
import type { DailyManifest } from '../../schemas/daily-file.ts';
import { limits } from '../../schemas/limits/index.ts';
import { pythonPackages } from '../support/requirements.ts';
import { freePort } from '../support/service.ts';

const python = pythonPackages();
const access = { region: 'eu-west-1', accessKey: 'key', secretKey: 'secret', publicUrl: 'https://files.example.org' };

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
  });
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

  const keyOf = ({ day: name, files }: DailyManifest, i: number): string => `${name}/${files[i]!.sha256}/${files[i]!.name}`;

  it('gets the files of a day, large ones in parts, then its manifest and the list of days', async () => {
    const { s3, open } = await bucket('whole');
    const large = randomBytes(limits.uploadPartBytes + 1_000_000);
    expect(await open().publish(dir, day('2026-01-30', Buffer.from('small')))).toBe('uploaded');
    const manifest = day('2026-01-31', large);
    expect(await open().publish(dir, manifest)).toBe('uploaded');
    expect(Buffer.from((await s3.getObjectArrayBuffer(keyOf(manifest, 0)))!).equals(large)).toBe(true);
    expect(JSON.parse((await s3.getObject('manifest-2026-01-31.json'))!)).toEqual(manifest);
    const index = JSON.parse((await s3.getObject('index.json'))!);
    expect(index).toMatchObject({ latest: '2026-01-31', days: [{ day: '2026-01-31' }, { day: '2026-01-30' }] });
    expect(index.days[0].files[0].url).toBe(`https://files.example.org/${keyOf(manifest, 0)}`);
    expect(await s3.getObject('SHA256SUMS')).toContain(manifest.files[0]!.sha256);
    expect(await open().publish(dir, manifest)).toBe('same');
    // Its uploader was killed between the manifest and the list.
    await s3.deleteObject('index.json');
    expect(await open().publish(dir, manifest)).toBe('uploaded');
    expect(JSON.parse((await s3.getObject('index.json'))!)).toEqual(index);
  });

  it('lists the newest days when there are too many, and leaves out those whose manifest is nothing', async () => {
    const { s3, open } = await bucket('many');
    const unreadable = ['null', '', '{"files":[]}'];
    for (const [n, text] of unreadable.entries()) await s3.putObject(`manifest-2026-03-1${n}.json`, text, 'application/json');
    await s3.putObject('manifest-of-another.json', '{}', 'application/json');
    const daysMax = vi.spyOn(limits as { bulkDaysMax: number }, 'bulkDaysMax', 'get').mockReturnValue(5);
    for (let n = 1; n <= 4; n += 1) expect(await open().publish(dir, day(`2026-03-0${n}`, Buffer.from('a')))).toBe('uploaded');
    expect(JSON.parse((await s3.getObject('index.json'))!)).toMatchObject({ days: [{ day: '2026-03-04' }, { day: '2026-03-03' }] });
    await expect(open().publish(dir, day('2026-03-10', Buffer.from('a')))).rejects.toMatchObject({ code: 'export.day_differs' });
    daysMax.mockRestore();
  });

  it('takes two uploaders at once, and refuses a day with other files', async () => {
    const { s3, open } = await bucket('two');
    const [one, other] = [day('2026-01-30', Buffer.from('a')), day('2026-01-31', Buffer.from('b'))];
    // The server responds with 500 when it lists objects while others are added; a scheduler tries again, too.
    const publish = (manifest: DailyManifest): Promise<unknown> =>
      open()
        .publish(dir, manifest)
        .catch(() => open().publish(dir, manifest));
    await Promise.all([publish(one), publish(other), publish(one)]);
    expect(JSON.parse((await s3.getObject('index.json'))!)).toMatchObject({ days: [{ day: '2026-01-31' }, { day: '2026-01-30' }] });
    await expect(open().publish(dir, day('2026-01-31', Buffer.from('c')))).rejects.toMatchObject({ code: 'export.day_differs' });
  });

  it('has the day of whoever publishes first: a killed uploader with other files blocks nothing, and one that slept overwrites nothing', async () => {
    const { s3, open } = await bucket('others');
    const name = '2026-02-01';
    const killed = day(name, Buffer.from('of the killed one'));
    const left = await s3.getMultipartUploadId(keyOf(killed, 0));
    await s3.uploadPart(keyOf(killed, 0), left, Buffer.from('part'), 1);
    const slept = day(name, Buffer.from('of the one that slept'));
    const waking = open();
    // It sleeps after its look at the bucket.
    let wake = (): void => {};
    const sleep = new Promise<void>((resolve) => {
      wake = resolve;
    });
    vi.spyOn(waking as unknown as { uploadFile(): Promise<void> }, 'uploadFile').mockReturnValueOnce(sleep);
    const late = waking.publish(dir, slept);
    await expect.poll(() => s3.getObject(`manifest-${name}.json`)).toBe(null);
    const ours = day(name, Buffer.from('ours'));
    expect(await open().publish(dir, ours)).toBe('uploaded');
    wake();
    await expect(late).rejects.toMatchObject({ code: 'export.day_differs' });
    expect(await s3.getObject(keyOf(ours, 0))).toBe('ours');
    expect(JSON.parse((await s3.getObject(`manifest-${name}.json`))!)).toEqual(ours);
    expect(JSON.stringify(await s3.listMultipartUploads('/', '', 'GET', { prefix: name }))).not.toContain(left);
  });

  it('is an error while the storage is away or refuses', async () => {
    const away = new ObjectStore({ ...access, url: 'http://127.0.0.1:9/bucket' });
    await expect(away.publish(dir, day('2026-01-31', Buffer.from('a')))).rejects.toMatchObject({ code: 'export.upload_failed' });
    const missing = new ObjectStore({ ...access, url: `${origin}/missing` });
    await expect(missing.publish(dir, day('2026-01-31', Buffer.from('a')))).rejects.toMatchObject({ code: 'export.upload_failed' });
  });
});
