// The claim of a day in a bucket: of two uploaders with different files, one has the day. A claim that its holder no longer renews ends.
import { randomUUID } from 'node:crypto';
import type { S3mini } from 's3mini';
import type { DailyManifest } from '../../schemas/daily-file.ts';
import { SquitterError } from '../../schemas/errors.ts';

const JSON_TYPE = 'application/json';
/** Refusals of a conditional write: the object is there, was changed, or is being changed. */
const REFUSED = new Set([409, 412]);
/** A claim is renewed when this part of its time is over. */
const RENEWED_AFTER = 1 / 3;

interface FoundClaim {
  readonly manifest: DailyManifest;
  readonly etag: string;
  /** By the clock of the storage, so that clocks of uploaders do not matter. */
  readonly ageMs: number;
}

export class UploadClaim {
  private readonly s3: S3mini;
  private readonly manifest: DailyManifest;
  private readonly msMax: number;
  /** The holder before did not end its upload: parts of it may be left. */
  readonly isTakenOver: boolean;
  private etag: string;
  private renewedMs = performance.now();

  /**
   * Claims the day of a manifest. Uploaders of the same files share a claim. One with other files gets a claim that was not renewed for `msMax`.
   * Error: `export.day_claimed`.
   */
  static async take(s3: S3mini, manifest: DailyManifest, msMax: number): Promise<UploadClaim> {
    const found = await readClaim(s3, manifest.day);
    const isOver = found !== null && found.ageMs > msMax;
    if (found !== null && !isOver) refuseOther(found, manifest, msMax);
    const etag = await writeClaim(s3, manifest, found?.etag ?? null);
    const claim = new UploadClaim(s3, manifest, msMax, etag ?? '', isOver);
    // Another uploader wrote it meanwhile.
    if (etag === null) await claim.renew();
    return claim;
  }

  private constructor(s3: S3mini, manifest: DailyManifest, msMax: number, etag: string, isTakenOver: boolean) {
    this.s3 = s3;
    this.manifest = manifest;
    this.msMax = msMax;
    this.etag = etag;
    this.isTakenOver = isTakenOver;
  }

  /** Call it before each write: a holder that slept may have lost the day. Error: `export.day_claimed`. */
  async keep(): Promise<void> {
    if (performance.now() - this.renewedMs > RENEWED_AFTER * this.msMax) await this.renew();
  }

  /** Error: `export.day_claimed`. */
  async renew(): Promise<void> {
    const startMs = performance.now();
    for (let wanted = this.etag; ; ) {
      const etag = wanted === '' ? null : await writeClaim(this.s3, this.manifest, wanted);
      if (etag !== null) {
        this.etag = etag;
        this.renewedMs = startMs;
        return;
      }
      const found = await readClaim(this.s3, this.manifest.day);
      if (found === null) throw new SquitterError('export.day_claimed', { day: this.manifest.day, seconds: 0 });
      refuseOther(found, this.manifest, this.msMax);
      wanted = found.etag;
    }
  }
}

export function haveSameFiles(one: DailyManifest, other: DailyManifest): boolean {
  const digests = ({ files }: DailyManifest): string => files.map(({ sha256 }) => sha256).join();
  return digests(one) === digests(other);
}

/** Writes an object only if it is still the one with this tag, or only if there is none. Null if it is not so. */
export async function writeIf(s3: S3mini, key: string, text: string, etag: string | null): Promise<string | null> {
  const condition = etag === null ? { 'if-none-match': '*' } : { 'if-match': etag };
  try {
    const { headers } = await s3.putObject(key, text, JSON_TYPE, undefined, condition as never);
    return headers.get('etag') ?? '';
  } catch (error) {
    if (REFUSED.has((error as { readonly status?: number }).status ?? 0)) return null;
    throw error;
  }
}

function refuseOther({ manifest, ageMs }: FoundClaim, ours: DailyManifest, msMax: number): void {
  if (haveSameFiles(manifest, ours)) return;
  throw new SquitterError('export.day_claimed', { day: ours.day, seconds: Math.max(0, Math.ceil((msMax - ageMs) / 1000)) });
}

async function readClaim(s3: S3mini, day: string): Promise<FoundClaim | null> {
  const response = await s3.getObjectResponse(keyOf(day));
  if (response === null) return null;
  const { headers } = response;
  const ageMs = Date.parse(headers.get('date') ?? '') - Date.parse(headers.get('last-modified') ?? '');
  const manifest = (await response.json()) as DailyManifest;
  return { manifest, etag: headers.get('etag') ?? '', ageMs: Number.isNaN(ageMs) ? 0 : ageMs };
}

/** Each text is a new one, so that each renewal has a tag of its own. */
function writeClaim(s3: S3mini, manifest: DailyManifest, etag: string | null): Promise<string | null> {
  return writeIf(s3, keyOf(manifest.day), JSON.stringify({ ...manifest, renewal: randomUUID() }), etag);
}

function keyOf(day: string): string {
  return `claim-${day}.json`;
}
