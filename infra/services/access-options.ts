// Options of the access layer, in every profile. Apart from the services: reading the configuration loads none of them.
import type { OptionValues } from '../../pipeline/runtime/options.ts';
import { Networks } from '../../pipeline/runtime/plain-address.ts';
import { type AccessProfile, type AccessRules, accessProfiles } from '../../query-api/access/operators.ts';

const networkOption = (flag: string, env: string, help: string) =>
  ({
    flag,
    value: 'CIDR',
    env,
    repeatable: true,
    help,
    fallback: [] as string[],
    parse: (text: string) => parseNetwork(flag, text),
  }) as const;

export const accessOptions = {
  access: {
    flag: 'access',
    value: 'home|tiers|open',
    env: 'SQUITTER_ACCESS',
    help: 'home: no limits for this machine and its private networks, tiers for all others; tiers: no limits for --unlimited alone; open: no limits',
    fallback: 'home' as AccessProfile,
    parse: parseProfile,
  },
  unlimited: networkOption('unlimited', 'SQUITTER_UNLIMITED', 'network or address without limits, such as 192.0.2.0/24'),
  trustedProxy: networkOption(
    'trusted-proxy',
    'SQUITTER_TRUSTED_PROXY',
    'network or address of a proxy whose Forwarded and X-Forwarded-For say who calls; without it no header counts',
  ),
} as const;

export type AccessValues = OptionValues<typeof accessOptions>;

export function accessRules({ access, unlimited, trustedProxy }: AccessValues): AccessRules {
  return { profile: access, unlimited, trustedProxies: trustedProxy };
}

function parseProfile(text: string): AccessProfile {
  const profile = accessProfiles.find((known) => known === text);
  if (profile === undefined) throw new Error(`expected ${accessProfiles.join(', ')}`);
  return profile;
}

function parseNetwork(flag: string, text: string): string {
  new Networks(`--${flag}`, [text]);
  return text;
}
