// Numbers and times in words.

/** At most one decimal below 10, of levels in dBFS, too. */
export const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 });

/** Bytes in kB, MB or GB. */
export const bytes = (value: number): string =>
  value < 1e6 ? `${number(value / 1e3)} kB` : value < 1e9 ? `${number(value / 1e6)} MB` : `${number(value / 1e9)} GB`;

/** Unix seconds as a local date and time. */
export const time = (s: number): string => new Date(s * 1000).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
