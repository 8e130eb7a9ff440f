// What a state's rule is that makes an address of a registration: a run of addresses, and the way there and back.

export interface RegistrationRule {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** First and last address that the rule speaks of. */
  readonly first: number;
  readonly last: number;
  /** Of an address from the first to the last; '' where the rule gives it none. */
  registration(address: number): string;
  /** Of a registration; −1 where the rule has none for it. */
  address(registration: string): number;
}

export const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Without those that look like digits. */
export const LETTERS_WITHOUT_I_AND_O = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
export const DIGITS = '0123456789';
