// Ranges of a request (RFC 9110 §14): one range of bytes. Several at once are not offered; the whole file is a valid response to them.

export type ByteRange =
  /** The whole file. */
  | { readonly kind: 'whole' }
  /** From `first` to `last`, both included. */
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' };

/** `ifRange` is the header If-Range: a part is only useful to a client that has the rest of this very file. */
export function byteRange(range: string | undefined, ifRange: string | undefined, bytes: number, etag: string): ByteRange {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(range?.replace(/\s/g, '') ?? '');
  if (match === null || (ifRange !== undefined && ifRange !== etag)) return { kind: 'whole' };
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return { kind: 'whole' };
  // A suffix: the last bytes.
  if (from === '')
    return Number(to) === 0 || bytes === 0
      ? { kind: 'unsatisfiable' }
      : { kind: 'part', first: Math.max(0, bytes - Number(to)), last: bytes - 1 };
  const first = Number(from);
  const last = to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (to !== '' && Number(to) < first) return { kind: 'whole' };
  return first >= bytes ? { kind: 'unsatisfiable' } : { kind: 'part', first, last };
}
