// Options of the access layer, in every profile. Apart from the services: reading the configuration loads none of them.
import { type OptionValues, oneOf, textOption } from '../../../pipeline/runtime/options.ts';
import { Networks } from '../../../pipeline/runtime/plain-address.ts';
import { type AccessProfile, type AccessRules, accessProfiles, type PageRule, pageRules } from '../../../query-api/access/operators.ts';

const networkOption = (flag: string, help: string) =>
  ({
    ...textOption(flag, 'CIDR', help),
    repeatable: true,
    fallback: [] as string[],
    parse: (text: string) => parseNetwork(flag, text),
  }) as const;

export const accessOptions = {
  access: {
    ...textOption(
      'access',
      'home|tiers|open',
      'home: no limits for this machine and its private networks, tiers for all others; tiers: no limits for --unlimited alone; open: no limits',
    ),
    fallback: 'home' as AccessProfile,
    parse: oneOf<AccessProfile>(accessProfiles),
  },
  pages: {
    ...textOption(
      'pages',
      'people|tiers',
      'people: pages and maps of this service have a bucket of their own; tiers: they count as all else',
    ),
    fallback: 'people' as PageRule,
    parse: oneOf<PageRule>(pageRules),
  },
  unlimited: networkOption('unlimited', 'network or address without limits, such as 192.0.2.0/24'),
  trustedProxy: networkOption(
    'trusted-proxy',
    'network or address of a proxy whose Forwarded and X-Forwarded-For say who calls; without it no header counts',
  ),
} as const;

export type AccessValues = OptionValues<typeof accessOptions>;

export function accessRules({ access, unlimited, trustedProxy, pages }: AccessValues): AccessRules {
  return { profile: access, unlimited, trustedProxies: trustedProxy, pages };
}

function parseNetwork(flag: string, text: string): string {
  new Networks(`--${flag}`, [text]);
  return text;
}
