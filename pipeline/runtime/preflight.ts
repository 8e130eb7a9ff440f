// Headers that a page of another origin may send: all that it asks for, since none of them is trusted, except those of our own pages.

/** A comma list of header names (RFC 9110, 5.1), of bounded length. */
const HEADER_NAMES = /^(?=.{1,1024}$)[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

/** The value of `Access-Control-Allow-Headers`. `requested` is what the preflight asks for; `usual` holds where it is not a list of names. */
export function allowedHeaders(requested: string | undefined, usual: string, withheld: string): string {
  if (requested === undefined || !HEADER_NAMES.test(requested)) return usual;
  const names = requested.split(',').map((name) => name.trim());
  const allowed = names.filter((name) => name.toLowerCase() !== withheld);
  return allowed.length === names.length ? requested : allowed.join(', ') || usual;
}
