// Reads the headers of a request that say which responses it accepts: content encodings (RFC 9110 §12.5.3) and entity tags that it already has (§13.1.2).
import type { Encoding } from '../../../pipeline/view/compress.ts';
import { limits } from '../../../schemas/limits/index.ts';

/** Chooses among `available` (best first): the encoding that the client prefers, the first of equals; null for identity. */
export function createNegotiator(available: readonly Encoding[]): (acceptEncoding: string | undefined) => Encoding | null {
  const cache = new Map<string, Encoding | null>();
  return (header) => {
    if (header === undefined || header === '') return null;
    const known = cache.get(header);
    if (known !== undefined) return known;
    const chosen = choose(header, available);
    if (cache.size >= limits.acceptEncodingsKnownMax) cache.clear();
    cache.set(header, chosen);
    return chosen;
  };
}

function choose(header: string, available: readonly Encoding[]): Encoding | null {
  const weights = parseWeights(header);
  const anyOther = weights.get('*');
  let best: Encoding | null = null;
  // Identity is always acceptable unless it is named: an encoding needs at least the same preference.
  let bestWeight = weights.get('identity') ?? 0;
  for (const encoding of available) {
    const weight = weights.get(encoding) ?? (encoding === 'gzip' ? weights.get('x-gzip') : undefined) ?? anyOther ?? 0;
    if (weight > 0 && (weight > bestWeight || (best === null && weight >= bestWeight))) {
      best = encoding;
      bestWeight = weight;
    }
  }
  return best;
}

function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [name, ...parameters] = item.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = quality === undefined ? 1 : Number(quality.slice(2));
    if (name !== undefined && name !== '') weights.set(name, Number.isFinite(weight) ? weight : 0);
  }
  return weights;
}

/** True when `If-None-Match` has this tag. Comparison is weak, as the RFC requires for this header. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag || ifNoneMatch.trim() === '*') return true;
  const strong = tag.replace(/^W\//, '');
  return ifNoneMatch.split(',').some((item) => item.trim().replace(/^W\//, '') === strong);
}
