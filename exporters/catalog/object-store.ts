// Publishes days into a bucket of S3-compatible object storage: files under keys with their SHA-256, then the manifest of the day, then the list of days.
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { S3mini } from 's3mini';
import { type DailyManifest, manifestName, previewName, publishedName } from '../../schemas/daily-file.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { catalogIndex, checksumList, parseManifest } from './catalog.ts';

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
/** Responses to a conditional write: the object is there, or is being written. */
const REFUSED = new Set([409, 412]);

/** The list of unfinished uploads as s3mini parses it: one upload, or several. Its types do not show it. */
interface MultipartList {
  readonly ListMultipartUploadsResult?: { readonly Upload?: Upload | readonly Upload[] };
}
interface Upload {
  readonly Key: string;
  readonly UploadId: string;
}

/** The key of a file: its last segment is the name under which it is downloaded. The preview is beside the positions that it shows. */
function keyOf({ day, files }: DailyManifest, name: string): string {
  const { sha256 } = files.find((file) => file.name === name) ?? files[0]!;
  return `${day}/${sha256}/${name}`;
}

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
      requestAbortTimeout: limits.uploadRequestMsMax,
    });
  }

  /**
   * Uploads a published day; nothing if the bucket has it. Any number of processes may do so at once: other files have other keys, and the first manifest
   * stays. Errors: `export.day_differs`, `export.upload_failed`.
   */
  async publish(folder: string, manifest: DailyManifest): Promise<'uploaded' | 'same'> {
    const { day } = manifest;
    try {
      if (!(await this.has(manifest))) await this.upload(folder, manifest);
      if (await this.isListed(day)) return 'same';
      await this.list();
      await this.abandonParts(day).catch(() => {});
      return 'uploaded';
    } catch (error) {
      if (error instanceof SquitterError) throw error;
      throw new SquitterError('export.upload_failed', { url: this.address.url, day, detail: (error as Error).message }, error);
    }
  }

  /** Days whose manifest cannot be read are left out. */
  private async daysOf(names: readonly string[]): Promise<DailyManifest[]> {
    const days: DailyManifest[] = [];
    for (const name of names) {
      const text = await this.s3.getObject(name);
      const manifest = text === null ? null : parseManifest(text);
      if (manifest !== null) days.push(manifest);
    }
    return days;
  }

  /** The list lacks a day whose uploader was killed before it wrote the list. */
  private async isListed(day: string): Promise<boolean> {
    const text = await this.s3.getObject(INDEX);
    return text !== null && (JSON.parse(text) as ReturnType<typeof catalogIndex>).days.some((listed) => listed.day === day);
  }

  /** Error: `export.day_differs`. */
  private async has(manifest: DailyManifest): Promise<boolean> {
    const text = await this.s3.getObject(manifestName(manifest.day));
    if (text === null) return false;
    const there = parseManifest(text);
    if (there === null || digestsOf(there) !== digestsOf(manifest))
      throw new SquitterError('export.day_differs', { day: manifest.day, detail: 'object storage has other files' });
    return true;
  }

  /** Files first. A manifest is never replaced, not even by an uploader that slept. Error: `export.day_differs`. */
  private async upload(folder: string, manifest: DailyManifest): Promise<void> {
    const { day, files } = manifest;
    for (const { name, bytes } of files) await this.uploadFile(join(folder, name), keyOf(manifest, name), bytes);
    const preview = previewName(day);
    await this.s3.putObject(keyOf(manifest, preview), await readFile(join(folder, preview)), 'image/svg+xml');
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    try {
      await this.s3.putObject(manifestName(day), text, JSON_TYPE, undefined, { 'if-none-match': '*' } as never);
    } catch (error) {
      const isRefused = REFUSED.has((error as { readonly status?: number }).status ?? 0);
      if (!isRefused || !(await this.has(manifest))) throw error;
    }
  }

  /** Ends unfinished uploads of the day: their parts cost money, and are not listed with the files. The day does not depend on it. */
  private async abandonParts(day: string): Promise<void> {
    const { ListMultipartUploadsResult: list } = (await this.s3.listMultipartUploads('/', '', 'GET', {
      prefix: `${day}/`,
    })) as MultipartList;
    for (const { Key, UploadId } of [list?.Upload ?? []].flat()) await this.s3.abortMultipartUpload(Key, UploadId).catch(() => {});
  }

  private async uploadFile(path: string, key: string, bytes: number): Promise<void> {
    const file = await open(path, 'r');
    try {
      const partBytes = limits.uploadPartBytes;
      const read = async (from: number): Promise<Buffer> => {
        const part = Buffer.allocUnsafe(Math.min(partBytes, bytes - from));
        const { bytesRead } = await file.read(part, 0, part.length, from);
        return part.subarray(0, bytesRead);
      };
      if (bytes <= partBytes) {
        await this.s3.putObject(key, await read(0), PARQUET);
        return;
      }
      const upload = await this.s3.getMultipartUploadId(key, PARQUET);
      try {
        const parts = [];
        for (let from = 0; from < bytes; from += partBytes)
          parts.push(await this.s3.uploadPart(key, upload, await read(from), parts.length + 1));
        await this.s3.completeMultipartUpload(key, upload, parts);
      } catch (error) {
        // Parts of an upload that is not ended cost money and are not listed.
        await this.s3.abortMultipartUpload(key, upload).catch(() => {});
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
    const { publicUrl } = this.address;
    const root = publicUrl === '' ? '' : `${publicUrl}/`;
    for (let listings = 0; listings < limits.bulkListingsMax; listings += 1) {
      const names = await this.manifestNames();
      const days = await this.daysOf(names);
      await this.s3.putObject('SHA256SUMS', checksumList(days), 'text/plain; charset=utf-8');
      const url = (name: string, day?: DailyManifest): string => `${root}${day === undefined ? name : keyOf(day, name)}`;
      const { schema: _, checksums: _sums, ...index } = catalogIndex(days, url);
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

function digestsOf({ files }: DailyManifest): string {
  return files.map(({ sha256 }) => sha256).join();
}
