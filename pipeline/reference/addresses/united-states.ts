// United States: all registrations from N1 to N99999 in the order in which a tree of them is walked, from address A00001 on. Behind N stands a digit from 1
// on; then up to four more characters, digits first, and in the end up to two letters (14 CFR 47.15), never I or O. Each node comes before its children:
// N1, N1A, N1AA, N1AB … N1AZ, N1B … N1ZZ, N10, N10A …
import { DIGITS, LETTERS_WITHOUT_I_AND_O as LETTERS, type RegistrationRule } from './rule.ts';

const FIRST = 0xa0_0001;
const PLACES = 4;
/** A letter alone and before each second one. */
const PER_LETTER = 1 + LETTERS.length;
const PER_LETTERS = LETTERS.length * PER_LETTER;

/** Registrations in a branch, by the places that are left behind its digit: 1, 35, 951, 10,111, 101,711. */
const branch: number[] = [1];
for (let places = 1; places <= PLACES; places += 1)
  branch.push(1 + (places === 1 ? LETTERS.length : PER_LETTERS) + DIGITS.length * branch[places - 1]!);
const COUNT = 9 * branch[PLACES]!;

export const unitedStates: RegistrationRule = {
  country: 'US',
  first: FIRST,
  last: FIRST + COUNT - 1,
  registration(address) {
    const at = address - FIRST;
    return `N${1 + Math.floor(at / branch[PLACES]!)}${tail(at % branch[PLACES]!, PLACES)}`;
  },
  address(registration) {
    if (!/^N[1-9]\d{0,4}$|^N[1-9]\d{0,3}[A-HJ-NP-Z]$|^N[1-9]\d{0,2}[A-HJ-NP-Z]{2}$/.test(registration)) return -1;
    return FIRST + (Number(registration[1]) - 1) * branch[PLACES]! + placeOf(registration.slice(2), PLACES);
  },
};

/** What stands behind a digit, by its place in the digit's branch. */
function tail(at: number, places: number): string {
  if (at === 0) return '';
  const letters = places === 1 ? LETTERS.length : PER_LETTERS;
  if (at > letters) {
    const below = at - 1 - letters;
    const size = branch[places - 1]!;
    return DIGITS[Math.floor(below / size)]! + tail(below % size, places - 1);
  }
  if (places === 1) return LETTERS[at - 1]!;
  const second = (at - 1) % PER_LETTER;
  return LETTERS[Math.floor((at - 1) / PER_LETTER)]! + (second === 0 ? '' : LETTERS[second - 1]!);
}

function placeOf(text: string, places: number): number {
  if (text === '') return 0;
  const letter = LETTERS.indexOf(text[0]!);
  if (letter < 0) {
    const letters = places === 1 ? LETTERS.length : PER_LETTERS;
    return 1 + letters + Number(text[0]) * branch[places - 1]! + placeOf(text.slice(1), places - 1);
  }
  return places === 1 ? 1 + letter : 1 + letter * PER_LETTER + (text.length === 1 ? 0 : 1 + LETTERS.indexOf(text[1]!));
}
