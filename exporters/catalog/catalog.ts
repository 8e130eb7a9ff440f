// The catalogue of published days: those in a folder that have a manifest, and their files. Read again when the folder changes; a file is known by its manifest only.
import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type DailyManifest, dailyKinds, manifestName, previewName, publishedName } from '../../schemas/daily-file.ts';
import { limits } from '../../schemas/limits/index.ts';

/** An open file of a published day; its reader closes the handle. */
export interface PublishedFile {
  readonly name: string;
  readonly handle: FileHandle;
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly type: string;
  /** A strong entity tag without its quotes: of the content. */
  readonly tag: string;
  /** SHA-256 as hex; null for files that no manifest describes. */
  readonly sha256: string | null;
  /** The day's files never change, unless an operator replaces them; `latest` does every day. */
  readonly isAlias: boolean;
}

const LATEST = /^(positions|flights|manifest|preview)-latest\.(parquet|json|svg)$/;
const types: Readonly<Record<string, string>> = {
  parquet: 'application/vnd.apache.parquet',
  json: 'application/json',
  svg: 'image/svg+xml',
};

export class Catalog {
  readonly folder: string;
  private readonly manifests = new Map<string, { readonly mark: string; readonly manifest: DailyManifest | null }>();

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Manifests of published days, the newest first; none if there is no folder yet. Days whose manifest cannot be read are left out. */
  async days(): Promise<DailyManifest[]> {
    const names = (await readdir(this.folder).catch(() => [] as string[]))
      .filter((name) => name.startsWith('manifest-') && publishedName.test(name))
      .sort()
      .reverse()
      .slice(0, limits.bulkDaysMax);
    const manifests = await Promise.all(names.map((name) => this.manifest(name)));
    for (const name of this.manifests.keys()) if (!names.includes(name)) this.manifests.delete(name);
    return manifests.filter((manifest) => manifest !== null);
  }

  /** Opens a file of a published day by its name, or by its name with `latest` for the newest day. Null if there is none. */
  async open(name: string): Promise<PublishedFile | null> {
    const alias = LATEST.exec(name);
    const [newest] = alias === null ? [] : await this.days();
    if (alias !== null && newest === undefined) return null;
    const real = alias === null ? name : name.replace('latest', newest!.day);
    if (!publishedName.test(real)) return null;
    const manifest = await this.manifest(manifestName(/\d{4}-\d\d-\d\d/.exec(real)![0]));
    if (manifest === null) return null;
    return this.openFile(real, manifest, alias !== null);
  }

  private async openFile(name: string, manifest: DailyManifest, isAlias: boolean): Promise<PublishedFile | null> {
    const listed = manifest.files.find((file) => file.name === name);
    const handle = await open(join(this.folder, name), 'r').catch(() => null);
    if (handle === null) return null;
    const { size, mtimeMs, ino } = await handle.stat();
    // The day is being replaced at this moment, or somebody changed the file: what its manifest says would be wrong.
    if (listed !== undefined && listed.bytes !== size) {
      await handle.close();
      return null;
    }
    const sha256 = listed?.sha256 ?? null;
    const tag = sha256?.slice(0, 32) ?? `${ino.toString(36)}-${Math.floor(mtimeMs).toString(36)}-${size.toString(36)}`;
    return { name, handle, bytes: size, modifiedMs: mtimeMs, type: types[name.split('.').at(-1)!]!, tag, sha256, isAlias };
  }

  private async manifest(name: string): Promise<DailyManifest | null> {
    const path = join(this.folder, name);
    const mark = await stat(path).then(
      ({ mtimeMs, ino, size }) => `${mtimeMs} ${ino} ${size}`,
      () => null,
    );
    if (mark === null) return null;
    const known = this.manifests.get(name);
    if (known?.mark === mark) return known.manifest;
    const manifest = await readFile(path, 'utf8').then(parseManifest, () => null);
    this.manifests.set(name, { mark, manifest });
    return manifest;
  }
}

/** The catalogue of a service that publishes no daily files: its folder cannot exist. */
export function emptyCatalog(): Catalog {
  return new Catalog('/dev/null');
}

/** Null for a text that is no manifest of a whole day. */
export function parseManifest(text: string): DailyManifest | null {
  try {
    const manifest = JSON.parse(text) as DailyManifest;
    const kinds = manifest.files.map(({ kind }) => kind);
    return dailyKinds.every((kind) => kinds.includes(kind)) ? manifest : null;
  } catch {
    return null;
  }
}

/** `index.json`: every day with the addresses, sizes and checksums of its files. `url` gives the address of a file, of a day if it has one. */
export function catalogIndex(days: readonly DailyManifest[], url: (name: string, day?: DailyManifest) => string) {
  return {
    licence: days[0]?.licence ?? null,
    attribution: days[0]?.attribution ?? null,
    latest: days[0]?.day ?? null,
    schema: url('schema'),
    checksums: url('SHA256SUMS'),
    days: days.map((manifest) => {
      const { day, version, licence, files } = manifest;
      return {
        day,
        schema_version: version,
        licence,
        manifest: url(manifestName(day)),
        preview: url(previewName(day), manifest),
        files: files.map(({ name, kind, rows, bytes, sha256 }) => ({ kind, url: url(name, manifest), name, rows, bytes, sha256 })),
      };
    }),
  };
}

/** In the form of `sha256sum --check`. */
export function checksumList(days: readonly DailyManifest[]): string {
  return days.flatMap(({ files }) => files.map(({ name, sha256 }) => `${sha256}  ${name}\n`)).join('');
}
