// Registrations derived from addresses, for states that compute addresses from registrations.
import { firstNotBelow } from '../store/sorted.ts';
import { japan } from './japan.ts';
import { numbers } from './numbers.ts';
import type { RegistrationRule } from './rule.ts';
import { strides } from './strides.ts';
import { unitedStates } from './united-states.ts';

/** Sorted by address, without overlaps. */
export const registrationRules: readonly RegistrationRule[] = [unitedStates, japan, ...strides, ...numbers].sort(
  (a, b) => a.first - b.first,
);

const lasts = registrationRules.map(({ last }) => last);

/** '' if no rule applies to the address. */
export function registrationOf(address: number): string {
  const rule = registrationRules[firstNotBelow(lasts, address)];
  return rule !== undefined && address >= rule.first ? rule.registration(address) : '';
}
