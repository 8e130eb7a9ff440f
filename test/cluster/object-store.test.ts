// The upload of daily files to a real server of the S3 protocol: moto, from PyPI.

import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3mini } from 's3mini';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ObjectStore } from '../../exporters/catalog/object-store.ts';
import { UploadClaim } from '../../exporters/catalog/upload-claim.ts';
import type { DailyManifest } from '../../schemas/daily-file.ts';
import { limits } from '../../schemas/limits/index.ts';
import { pythonPackages } from '../support/python.ts';
import { projectDir } from '../support/requirements.ts';
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
    return { s3, url, open: (claimMsMax?: number) => new ObjectStore({ ...access, url }, claimMsMax) };
  };
  const day = (name: string, positions: Buffer): DailyManifest => {
    const files = [
      { kind: 'positions' as const, content: positions },
      { kind: 'flights' as const, content: Buffer.from('flights') },
    ].map(({ kind, content }) => {
      const file = `${kind}-${name}.parquet`;
      // It may be a pipe of a try before.
      rmSync(join(dir, file), { force: true });
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
    const large = randomBytes(limits.uploadPartBytes + 1_000_000);
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

  it('lists the newest days when there are too many, and leaves out those whose manifest is nothing', async () => {
    const { s3, open } = await bucket('many');
    const unreadable = ['null', '', '{"files":[]}'];
    for (const [n, text] of unreadable.entries()) await s3.putObject(`manifest-2026-03-1${n}.json`, text, 'application/json');
    await s3.putObject('manifest-of-another.json', '{}', 'application/json');
    const daysMax = vi.spyOn(limits as { bulkDaysMax: number }, 'bulkDaysMax', 'get').mockReturnValue(5);
    for (let n = 1; n <= 4; n += 1) expect(await open().publish(dir, day(`2026-03-0${n}`, Buffer.from('a')))).toBe('uploaded');
    expect((await open().days()).map((manifest) => manifest.day)).toEqual(['2026-03-04', '2026-03-03']);
    expect(JSON.parse((await s3.getObject('index.json'))!)).toMatchObject({ days: [{ day: '2026-03-04' }, { day: '2026-03-03' }] });
    await expect(open().publish(dir, day('2026-03-10', Buffer.from('a')))).rejects.toMatchObject({ code: 'export.day_differs' });
    daysMax.mockRestore();
  });

  it('takes two uploaders at once, and refuses a day with other files', async () => {
    const { open } = await bucket('two');
    const [one, other] = [day('2026-01-30', Buffer.from('a')), day('2026-01-31', Buffer.from('b'))];
    await Promise.all([open().publish(dir, one), open().publish(dir, other), open().publish(dir, one)]);
    expect((await open().days()).map((manifest) => manifest.day)).toEqual(['2026-01-31', '2026-01-30']);
    await expect(open().publish(dir, day('2026-01-31', Buffer.from('c')))).rejects.toMatchObject({ code: 'export.day_differs' });
  });

  it('gives the day of a killed uploader to one with other files, when its claim ends', async () => {
    const { s3, url, open } = await bucket(`killed-${randomBytes(4).toString('hex')}`);
    const name = '2026-02-01';
    const dead = day(name, Buffer.from('of the dead one'));
    // Its second file never ends, so the child is killed between two files.
    const flights = join(dir, `flights-${name}.parquet`);
    rmSync(flights);
    execFileSync('mkfifo', [flights]);
    const child = spawn(process.execPath, [join(projectDir, 'dist/modules/test/cluster/object-store-child.js')], {
      ...{
        stdio: ['pipe', 'ignore', 'inherit'],
        env: { ...process.env, UPLOAD: JSON.stringify({ address: { ...access, url }, dir, manifest: dead }) },
      },
    });
    await expect.poll(() => s3.getObject(`positions-${name}.parquet`), { timeout: 240_000 }).toBe('of the dead one');
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(flights);
    const left = await s3.getMultipartUploadId(`positions-${name}.parquet`);
    await s3.uploadPart(`positions-${name}.parquet`, left, Buffer.from('part'), 1);

    const ours = day(name, Buffer.from('ours'));
    await expect(open().publish(dir, ours)).rejects.toMatchObject({ code: 'export.day_claimed', retriable: true });
    expect(await s3.objectExists(`manifest-${name}.json`)).toBe(false);
    // The next tries, as of a scheduler.
    const outcome = (): Promise<string> =>
      open(1500)
        .publish(dir, ours)
        .catch(({ code }: { code: string }) => code);
    await expect.poll(outcome, { timeout: 240_000, interval: 300 }).toBe('uploaded');
    expect(await s3.getObject(`positions-${name}.parquet`)).toBe('ours');
    expect(JSON.parse((await s3.getObject(`manifest-${name}.json`))!)).toEqual(ours);
    expect(JSON.stringify(await s3.listMultipartUploads('/', '', 'GET', { prefix: 'positions' }))).not.toContain(left);
    await expect(open(1500).publish(dir, dead)).rejects.toMatchObject({ code: 'export.day_differs' });
  });

  it('takes nothing from an uploader that slept until its claim ended, and goes on with one that is the same', async () => {
    const { s3 } = await bucket(`slept-${randomBytes(4).toString('hex')}`);
    const [one, other] = ['a', 'b'].map((text) => day('2026-02-02', Buffer.from(text)));
    const slept = await UploadClaim.take(s3, one!, 60_000);
    const same = await UploadClaim.take(s3, one!, 60_000);
    await same.renew();
    await slept.renew();
    expect([slept.isTakenOver, same.isTakenOver]).toEqual([false, false]);
    await expect(UploadClaim.take(s3, other!, 60_000)).rejects.toMatchObject({ code: 'export.day_claimed' });
    const next = await UploadClaim.take(s3, other!, -1);
    expect(next.isTakenOver).toBe(true);
    await expect(slept.renew()).rejects.toMatchObject({ code: 'export.day_claimed' });
    await next.renew();
  });

  it('is an error while the storage is away or refuses', async () => {
    const away = new ObjectStore({ ...access, url: 'http://127.0.0.1:9/bucket' });
    await expect(away.publish(dir, day('2026-01-31', Buffer.from('a')))).rejects.toMatchObject({ code: 'export.upload_failed' });
    const missing = new ObjectStore({ ...access, url: `${origin}/missing` });
    await expect(missing.publish(dir, day('2026-01-31', Buffer.from('a')))).rejects.toMatchObject({ code: 'export.upload_failed' });
  });
});
