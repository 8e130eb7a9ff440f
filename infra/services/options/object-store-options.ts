// Options of object storage for the daily files. It is off without an address.

import type { ObjectStoreAddress } from '../../../exporters/catalog/object-store.ts';
import { type OptionValues, parseHttpUrl, secretOption, textOption } from '../../../pipeline/runtime/options.ts';

export const objectStoreOptions = {
  objectStore: {
    ...textOption(
      'object-store',
      'URL',
      'S3-compatible object storage that published days are uploaded to: endpoint and bucket, https://HOST/BUCKET',
    ),
    env: 'SQUITTER_OBJECT_STORE_URL',
    parse: parseHttpUrl,
  },
  objectStoreRegion: { ...textOption('object-store-region', 'NAME', 'its region'), fallback: 'auto' },
  objectStorePublicUrl: {
    ...textOption('object-store-public-url', 'URL', 'public address of the bucket, for its list of days; without it, names are relative'),
    fallback: '',
    parse: parseHttpUrl,
  },
  objectStoreKey: { ...secretOption('SQUITTER_OBJECT_STORE_KEY', 'access key of object storage'), value: 'KEY', fallback: '' },
  objectStoreSecret: { ...secretOption('SQUITTER_OBJECT_STORE_SECRET', 'secret key of object storage'), fallback: '' },
} as const;

/** The address; null when object storage is off. */
export function objectStoreAddress(options: OptionValues<typeof objectStoreOptions>): ObjectStoreAddress | null {
  const { objectStore: url, objectStoreRegion: region, objectStorePublicUrl: publicUrl } = options;
  return url === null ? null : { url, region, publicUrl, accessKey: options.objectStoreKey, secretKey: options.objectStoreSecret };
}
