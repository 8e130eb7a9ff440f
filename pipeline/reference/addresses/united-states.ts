// United States: all registrations from N1 to N99999 in pre-order of a tree, from address A00001 on. After N comes a digit from 1 to 9, then up to four
// more characters: digits, and at the end up to two letters (14 CFR 47.15), never I or O. Each node comes before its children:
// N1, N1A, N1AA, N1AB … N1AZ, N1B … N1ZZ, N10, N10A …
import { DIGITS, LETTERS_WITHOUT_I_AND_O as LETTERS, type RegistrationRule } from './rule.ts';

const FIRST = 0xa0_0001;
const TAIL_CHARACTERS = 4;
/** Suffixes that begin with one given letter: the letter alone, or with a second letter. */
const PER_LETTER = 1 + LETTERS.length;
const PER_LETTERS = LETTERS.length * PER_LETTER;

/** Registrations in a branch, by the number of characters that may follow its digit: 1, 35, 951, 10,111, 101,711. */
const branch: number[] = [1];
for (let charactersMax = 1; charactersMax <= TAIL_CHARACTERS; charactersMax += 1)
  branch.push(1 + (charactersMax === 1 ? LETTERS.length : PER_LETTERS) + DIGITS.length * branch[charactersMax - 1]!);
const COUNT = 9 * branch[TAIL_CHARACTERS]!;

export const unitedStates: RegistrationRule = {
  country: 'US',
  first: FIRST,
  last: FIRST + COUNT - 1,
  registration(address) {
    const at = address - FIRST;
    return `N${1 + Math.floor(at / branch[TAIL_CHARACTERS]!)}${tail(at % branch[TAIL_CHARACTERS]!, TAIL_CHARACTERS)}`;
  },
};

/** Characters after a digit, by the index in the digit's branch. */
function tail(at: number, charactersMax: number): string {
  if (at === 0) return '';
  const suffixes = charactersMax === 1 ? LETTERS.length : PER_LETTERS;
  if (at > suffixes) {
    const below = at - 1 - suffixes;
    const size = branch[charactersMax - 1]!;
    return DIGITS[Math.floor(below / size)]! + tail(below % size, charactersMax - 1);
  }
  if (charactersMax === 1) return LETTERS[at - 1]!;
  const second = (at - 1) % PER_LETTER;
  return LETTERS[Math.floor((at - 1) / PER_LETTER)]! + (second === 0 ? '' : LETTERS[second - 1]!);
}
