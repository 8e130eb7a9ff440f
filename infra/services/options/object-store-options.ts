// Options of object storage for the daily files. It is off without an address.

import type { ObjectStoreAddress } from '../../../exporters/catalog/object-store.ts';
import { type OptionValues, parseHttpUrl } from '../../../pipeline/runtime/options.ts';

export const objectStoreOptions = {
  objectStore: {
    flag: 'object-store',
    value: 'URL',
    env: 'SQUITTER_OBJECT_STORE_URL',
    help: 'S3-compatible object storage that published days are uploaded to: endpoint and bucket, https://HOST/BUCKET',
    fallback: null as string | null,
    parse: parseHttpUrl,
  },
  objectStoreRegion: {
    flag: 'object-store-region',
    value: 'NAME',
    env: 'SQUITTER_OBJECT_STORE_REGION',
    help: 'its region',
    fallback: 'auto',
  },
  objectStorePublicUrl: {
    flag: 'object-store-public-url',
    value: 'URL',
    env: 'SQUITTER_OBJECT_STORE_PUBLIC_URL',
    help: 'public address of the bucket, for its list of days; without it, names are relative',
    fallback: '',
    parse: parseHttpUrl,
  },
  objectStoreKey: { value: 'KEY', env: 'SQUITTER_OBJECT_STORE_KEY', secret: true, help: 'access key of object storage', fallback: '' },
  objectStoreSecret: {
    value: 'SECRET',
    env: 'SQUITTER_OBJECT_STORE_SECRET',
    secret: true,
    help: 'secret key of object storage',
    fallback: '',
  },
} as const;

/** The address; null when object storage is off. */
export function objectStoreAddress(options: OptionValues<typeof objectStoreOptions>): ObjectStoreAddress | null {
  const { objectStore: url, objectStoreRegion: region, objectStorePublicUrl: publicUrl } = options;
  return url === null ? null : { url, region, publicUrl, accessKey: options.objectStoreKey, secretKey: options.objectStoreSecret };
}
