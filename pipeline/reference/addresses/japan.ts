// Japan: JA, two digits, then a digit and any character, or two letters: JA8901, JA890A, JA89AN. I and O are not used. At every character digits sort
// before letters, from address 840000 on. After the addresses of each first digit come those with a letter as second character; observed aircraft
// contradict the order there, so the rule excludes them.
import { DIGITS, LETTERS_WITHOUT_I_AND_O as LETTERS, type RegistrationRule } from './rule.ts';

const FIRST = 0x84_0000;
const ANY = DIGITS + LETTERS;
const PAIRS = LETTERS.length * LETTERS.length;
/** Suffixes after two digits: a digit and any character, or two letters. */
const PER_SECOND_DIGIT = DIGITS.length * ANY.length + PAIRS;
const SECOND_DIGITS = DIGITS.length * PER_SECOND_DIGIT;
const PER_FIRST_DIGIT = SECOND_DIGITS + LETTERS.length * PAIRS;

export const japan: RegistrationRule = {
  country: 'JP',
  first: FIRST,
  last: FIRST + 9 * PER_FIRST_DIGIT + SECOND_DIGITS - 1,
  registration(address) {
    const at = address - FIRST;
    const ending = tail(at % PER_FIRST_DIGIT);
    return ending === '' ? '' : `JA${Math.floor(at / PER_FIRST_DIGIT)}${ending}`;
  },
};

function tail(at: number): string {
  if (at >= SECOND_DIGITS) return '';
  const below = at % PER_SECOND_DIGIT;
  const digits = DIGITS.length * ANY.length;
  return (
    DIGITS[Math.floor(at / PER_SECOND_DIGIT)]! +
    (below < digits ? DIGITS[Math.floor(below / ANY.length)]! + ANY[below % ANY.length]! : pair(below - digits))
  );
}

function pair(at: number): string {
  return LETTERS[Math.floor(at / LETTERS.length)]! + LETTERS[at % LETTERS.length]!;
}
