// Publishes days into a bucket of S3-compatible object storage. The manifest of a day comes after its files, and the list of days after the manifest.

import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { S3mini } from 's3mini';
import { type DailyManifest, manifestName, previewName, publishedName } from '../../schemas/daily-file.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { catalogIndex, checksumList, parseManifest } from './catalog.ts';
import { haveSameFiles, UploadClaim, writeIf } from './upload-claim.ts';

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

/** The list of unfinished uploads as s3mini parses it: one upload, or several. Its types do not show it. */
interface MultipartList {
  readonly ListMultipartUploadsResult?: { readonly Upload?: Upload | readonly Upload[] };
}
interface Upload {
  readonly UploadId: string;
}

export class ObjectStore {
  private readonly address: ObjectStoreAddress;
  private readonly s3: S3mini;
  private readonly claimMsMax: number;

  constructor(address: ObjectStoreAddress, claimMsMax: number = limits.uploadClaimMsMax) {
    this.address = address;
    this.claimMsMax = claimMsMax;
    this.s3 = new S3mini({
      accessKeyId: address.accessKey,
      secretAccessKey: address.secretKey,
      endpoint: address.url,
      region: address.region,
      requestAbortTimeout: limits.uploadRequestMsMax,
    });
  }

  /**
   * Uploads a published day; nothing if the bucket has it. Any number of processes may do so at once: files of a day are the same bytes, and a claim decides between
   * different ones. Errors: `export.day_differs`, `export.day_claimed`, `export.upload_failed`.
   */
  async publish(folder: string, manifest: DailyManifest): Promise<'uploaded' | 'same'> {
    try {
      if (await this.has(manifest)) return 'same';
      const claim = await UploadClaim.take(this.s3, manifest, this.claimMsMax);
      if (claim.isTakenOver) await this.abandonParts(manifest);
      for (const { name, bytes } of manifest.files) await this.uploadFile(claim, join(folder, name), name, bytes);
      await claim.keep();
      await this.s3.putObject(previewName(manifest.day), await readFile(join(folder, previewName(manifest.day))), 'image/svg+xml');
      await claim.renew();
      // A published day is never replaced, also not by a holder that sleeps just here.
      const text = `${JSON.stringify(manifest, null, 2)}\n`;
      if ((await writeIf(this.s3, manifestName(manifest.day), text, null)) === null && (await this.has(manifest))) return 'same';
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

  /** The newest days in the bucket, the newest first. Days whose manifest cannot be read are left out. */
  async days(): Promise<DailyManifest[]> {
    return this.daysOf(await this.manifestNames());
  }

  private async daysOf(names: readonly string[]): Promise<DailyManifest[]> {
    const days: DailyManifest[] = [];
    for (const name of names) {
      const text = await this.s3.getObject(name);
      const manifest = text === null ? null : parseManifest(text);
      if (manifest !== null) days.push(manifest);
    }
    return days;
  }

  /** Error: `export.day_differs`. */
  private async has(manifest: DailyManifest): Promise<boolean> {
    const text = await this.s3.getObject(manifestName(manifest.day));
    if (text === null) return false;
    const there = parseManifest(text);
    if (there === null || !haveSameFiles(there, manifest))
      throw new SquitterError('export.day_differs', { day: manifest.day, detail: 'object storage has other files' });
    return true;
  }

  /** Parts of uploads that ended with their process: they cost money, and are not listed with the files. The day does not depend on it. */
  private async abandonParts({ files }: DailyManifest): Promise<void> {
    for (const { name } of files) {
      const uploads = await this.unfinished(name).catch(() => []);
      for (const upload of uploads) await this.s3.abortMultipartUpload(name, upload).catch(() => {});
    }
  }

  private async unfinished(name: string): Promise<string[]> {
    const { ListMultipartUploadsResult: list } = (await this.s3.listMultipartUploads('/', '', 'GET', { prefix: name })) as MultipartList;
    return [list?.Upload ?? []].flat().map(({ UploadId }) => UploadId);
  }

  private async uploadFile(claim: UploadClaim, path: string, name: string, bytes: number): Promise<void> {
    const file = await open(path, 'r');
    try {
      const partBytes = limits.uploadPartBytes;
      const read = async (from: number): Promise<Buffer> => {
        const part = Buffer.allocUnsafe(Math.min(partBytes, bytes - from));
        const { bytesRead } = await file.read(part, 0, part.length, from);
        return part.subarray(0, bytesRead);
      };
      await claim.keep();
      if (bytes <= partBytes) {
        await this.s3.putObject(name, await read(0), PARQUET);
        return;
      }
      const upload = await this.s3.getMultipartUploadId(name, PARQUET);
      try {
        const parts = [];
        for (let from = 0; from < bytes; from += partBytes) {
          parts.push(await this.s3.uploadPart(name, upload, await read(from), parts.length + 1));
          await claim.keep();
        }
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
    for (let listings = 0; listings < limits.bulkListingsMax; listings += 1) {
      const names = await this.manifestNames();
      const days = await this.daysOf(names);
      await this.s3.putObject('SHA256SUMS', checksumList(days), 'text/plain; charset=utf-8');
      const { schema: _, checksums: _sums, ...index } = catalogIndex(days, this.address.publicUrl, '');
      await this.s3.putObject(INDEX, `${JSON.stringify(index, null, 1)}\n`, JSON_TYPE);
      if ((await this.manifestNames()).join() === names.join()) return;
    }
    throw new Error(`the list of days changed ${limits.bulkListingsMax} times while it was written`);
  }

  private async manifestNames(): Promise<string[]> {
    const objects = (await this.s3.listObjects('/', 'manifest-', limits.bulkNamesMax)) ?? [];
    return objects
      .map(({ Key }) => Key.split('/').at(-1)!)
      .filter((name) => publishedName.test(name))
      .sort()
      .reverse()
      .slice(0, limits.bulkDaysMax);
  }
}
