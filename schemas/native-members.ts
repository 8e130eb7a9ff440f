// Values of the `/v2` object that differ from the field they come from.

/** Categories that `/v2` shows: A1 to A7, B1 to B7, C1 to C3. */
export function isNativeCategory(category: string): boolean {
  return /^(?:[AB][1-7]|C[1-3])$/.test(category);
}

/** Values of `type` in `/v2`. */
export const nativeTypes = ['adsb_icao', 'mlat', 'tisb', 'adsr'] as const;
export type NativeType = (typeof nativeTypes)[number];

/** The `type` of a source in `/v2`; undefined if none of the four applies. */
export function nativeType(source: string): NativeType | undefined {
  if (source.startsWith('adsb_')) return 'adsb_icao';
  if (source.startsWith('adsr_')) return 'adsr';
  if (source.startsWith('tisb_')) return 'tisb';
  return source === 'mlat' ? 'mlat' : undefined;
}
