// Reads numbers in clients' texts strictly: for JavaScript a blank is 0, `0x10` is 16 and `1e400` is infinite.

/** A decimal number. A blank before it is a `+` of a query string, decoded. */
const DECIMAL = /^[ +-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const DECIMAL_COMMA = /^[ +-]?\d+,\d+$/;

/** The number in a text; NaN when there is none, or it is not finite. */
export function decimal(text: string): number {
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : Number.NaN;
}

/** The problem of a text that is not a number. */
export function notDecimal(text: string): string {
  if (DECIMAL_COMMA.test(text)) return 'expected a decimal point, got a comma';
  return DECIMAL.test(text) ? 'the number is too large' : 'expected a decimal number';
}
