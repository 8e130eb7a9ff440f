// Publishes days into a bucket of S3-compatible object storage. The manifest of a day comes after its files, and the list of days after the manifest.
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { S3mini } from 's3mini';
import { type DailyManifest, manifestName, previewName } from '../../schemas/daily-file.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { historyLimits } from '../../schemas/history-limits.ts';
import { catalogIndex, checksumList } from './catalog.ts';

export interface ObjectStoreAddress {
  /** Endpoint with the bucket: `https://s3.example.org/bucket`, and a prefix after it if wanted. */
  readonly url: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Public address of the bucket, for the list of days; '' makes names relative to it. */
  readonly publicUrl: string;
}

const PARQUET = 'application/vnd.apache.parquet';
const JSON_TYPE = 'application/json';
const INDEX = 'index.json';

export class ObjectStore {
  private readonly address: ObjectStoreAddress;
  private readonly s3: S3mini;

  constructor(address: ObjectStoreAddress) {
    this.address = address;
    this.s3 = new S3mini({
      accessKeyId: address.accessKey,
      secretAccessKey: address.secretKey,
      endpoint: address.url,
      region: address.region,
    });
  }

  /**
   * Uploads a published day; nothing if the bucket has it. Any number of processes may do so at once: files of a day are the same bytes, and a claim decides between
   * different ones. Errors: `export.day_differs`, `export.upload_failed`.
   */
  async publish(folder: string, manifest: DailyManifest): Promise<'uploaded' | 'same'> {
    try {
      const there = await this.manifest(manifestName(manifest.day));
      if (there !== null) {
        checkSame(there, manifest);
        return 'same';
      }
      await this.claim(manifest);
      for (const { name, bytes } of manifest.files) await this.uploadFile(join(folder, name), name, bytes);
      await this.s3.putObject(previewName(manifest.day), await readFile(join(folder, previewName(manifest.day))), 'image/svg+xml');
      await this.s3.putObject(manifestName(manifest.day), `${JSON.stringify(manifest, null, 2)}\n`, JSON_TYPE);
      await this.list();
      return 'uploaded';
    } catch (error) {
      if (error instanceof SquitterError) throw error;
      throw new SquitterError(
        'export.upload_failed',
        { url: this.address.url, day: manifest.day, detail: (error as Error).message },
        error,
      );
    }
  }

  /** Days in the bucket, the newest first. */
  async days(): Promise<DailyManifest[]> {
    const names = await this.manifestNames();
    const days: DailyManifest[] = [];
    for (const name of names) {
      const manifest = await this.manifest(name);
      if (manifest !== null) days.push(manifest);
    }
    return days;
  }

  /** Of two exporters with different files for a day, the first one has it, also before its manifest is there. */
  private async claim(manifest: DailyManifest): Promise<void> {
    const key = `claim-${manifest.day}.json`;
    const claimed = await this.s3.getObject(key);
    if (claimed === null) {
      // The second one of two at once gets 412 and then reads the claim of the first.
      await this.s3
        .putObject(key, JSON.stringify(manifest), JSON_TYPE, undefined, { 'if-none-match': '*' } as never)
        .catch((error: { readonly status?: number }) => {
          if (error.status !== 412 && error.status !== 409) throw error;
        });
    }
    const holder = await this.s3.getObject(key);
    if (holder !== null) checkSame(JSON.parse(holder) as DailyManifest, manifest);
  }

  private async uploadFile(path: string, name: string, bytes: number): Promise<void> {
    const file = await open(path, 'r');
    try {
      const partBytes = historyLimits.uploadPartBytes;
      const read = async (from: number): Promise<Buffer> => {
        const part = Buffer.allocUnsafe(Math.min(partBytes, bytes - from));
        const { bytesRead } = await file.read(part, 0, part.length, from);
        return part.subarray(0, bytesRead);
      };
      if (bytes <= partBytes) {
        await this.s3.putObject(name, await read(0), PARQUET);
        return;
      }
      const upload = await this.s3.getMultipartUploadId(name, PARQUET);
      try {
        const parts = [];
        for (let from = 0; from < bytes; from += partBytes)
          parts.push(await this.s3.uploadPart(name, upload, await read(from), parts.length + 1));
        await this.s3.completeMultipartUpload(name, upload, parts);
      } catch (error) {
        // Parts of an upload that is not ended cost money and are not listed.
        await this.s3.abortMultipartUpload(name, upload).catch(() => {});
        throw error;
      }
    } finally {
      await file.close();
    }
  }

  /**
   * Writes the list of days from the manifests in the bucket. Afterwards it looks again: a manifest that another process added meanwhile, whose list this one replaced,
   * is then in the next list.
   */
  private async list(): Promise<void> {
    for (;;) {
      const days = await this.days();
      await this.s3.putObject('SHA256SUMS', checksumList(days), 'text/plain; charset=utf-8');
      const { schema: _, checksums: _sums, ...index } = catalogIndex(days, this.address.publicUrl, '');
      await this.s3.putObject(INDEX, `${JSON.stringify(index, null, 1)}\n`, JSON_TYPE);
      if ((await this.manifestNames()).length === days.length) return;
    }
  }

  private async manifestNames(): Promise<string[]> {
    const objects = (await this.s3.listObjects('/', 'manifest-', historyLimits.bulkDaysMax)) ?? [];
    return objects
      .map(({ Key }) => Key.split('/').at(-1)!)
      .sort()
      .reverse();
  }

  private async manifest(name: string): Promise<DailyManifest | null> {
    const text = await this.s3.getObject(name);
    return text === null ? null : (JSON.parse(text) as DailyManifest);
  }
}

function checkSame(there: DailyManifest, ours: DailyManifest): void {
  const digests = ({ files }: DailyManifest): string => files.map(({ sha256 }) => sha256).join();
  if (digests(there) !== digests(ours))
    throw new SquitterError('export.day_differs', { day: ours.day, detail: 'object storage has other files' });
}
