// Rule of a state that computes addresses from registrations: a run of addresses, and the registration of each.

export interface RegistrationRule {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** First and last address of the rule. */
  readonly first: number;
  readonly last: number;
  /** Registration of an address from the first to the last; '' if the rule gives none. */
  registration(address: number): string;
}

export const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Without the letters that look like digits. */
export const LETTERS_WITHOUT_I_AND_O = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
export const DIGITS = '0123456789';
