// Moments in requests: seconds since 1970, or a time with its zone. The pattern allows those that exist, so a value that fits has a time.
import { parseTime } from '../../pipeline/runtime/options.ts';
import { type TextForm, textForm } from './text-forms.ts';

const SECONDS = String.raw`[0-9]{1,10}(\.[0-9]{1,9})?`;
const YEAR = '(19[7-9]|2[01][0-9])[0-9]';
const LEAP_YEAR = '(19(7[26]|8[048]|9[26])|20([02468][048]|[13579][26])|21(0[48]|[2468][048]|[13579][26]))';
const MONTH_AND_DAY = '((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))';
const DAY = `(${YEAR}-${MONTH_AND_DAY}|${LEAP_YEAR}-02-29)`;
const HOUR = '([01][0-9]|2[0-3])';
const TIME = String.raw`${HOUR}:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?(Z|[+-]${HOUR}:[0-5][0-9])`;

/** The form of a moment, for descriptions of parameters. */
export const INSTANT = 'seconds since 1970, or a time like `2026-11-22T10:00:00Z`';

/** A moment from 1970 to 2199 as a parameter. */
export const instantForm: TextForm = textForm(
  `(${SECONDS}|${DAY}T${TIME})`,
  'expected seconds since 1970, or a time that exists, like 2026-11-22T10:00:00Z, from 1970 to 2199',
);

/** Time of a text that fits `instantForm`, whole ms since 1970. */
export function instantMs(text: string): number {
  return Math.max(0, Math.floor(parseTime(text)));
}
