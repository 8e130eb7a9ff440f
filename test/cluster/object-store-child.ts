// Child of object-store.test.ts: publishes one day, until it is killed.
import { ObjectStore, type ObjectStoreAddress } from '../../exporters/catalog/object-store.ts';
import type { DailyManifest } from '../../schemas/daily-file.ts';

interface Upload {
  readonly address: ObjectStoreAddress;
  readonly dir: string;
  readonly manifest: DailyManifest;
}

const { address, dir, manifest } = JSON.parse(process.env['UPLOAD'] ?? '') as Upload;
await new ObjectStore(address).publish(dir, manifest);
