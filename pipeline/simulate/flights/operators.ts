// Operators of simulated flights, from the reference data of the package; 24-bit address blocks of countries (ICAO Annex 10 vol. III table 9-1).
import { shippedOperators } from '../../reference/shipped/operators.ts';

/** Civil part of each country's address block, first and last address. */
// biome-ignore format: a table
export const countryAddresses: Readonly<Record<string, readonly [first: number, last: number]>> = {
  AE: [0x896000, 0x896bff], AR: [0xe00000, 0xe3ffff], AT: [0x440000, 0x443fff], AU: [0x7c0000, 0x7c823f], BE: [0x448000, 0x44efff],
  BR: [0xe42000, 0xe7ffff], CA: [0xc00000, 0xc1ffff], CH: [0x4b0000, 0x4b6fff], CL: [0xe80000, 0xe805ff], CN: [0x780000, 0x7bffff],
  CO: [0x0ac000, 0x0acfff], CZ: [0x498800, 0x49ffff], DE: [0x3c0000, 0x3e7fff], DK: [0x458000, 0x45f3ff], EG: [0x010100, 0x017fff],
  ES: [0x340000, 0x34ffff], FI: [0x460000, 0x4677ff], FR: [0x380000, 0x3a7fff], GB: [0x401000, 0x43bfff], GR: [0x468400, 0x46ffff],
  HU: [0x470000, 0x473bff], ID: [0x8a0000, 0x8a7fff], IE: [0x4ca000, 0x4cafff], IL: [0x738c00, 0x73ffff], IN: [0x800300, 0x83ffff],
  IS: [0x4cc000, 0x4ccfff], IT: [0x300000, 0x33feff], JP: [0x840000, 0x87ffff], KR: [0x718000, 0x71ffff], MA: [0x020200, 0x027fff],
  MX: [0x0d0000, 0x0d7fff], MY: [0x750000, 0x757fff], NL: [0x481000, 0x487fff], NO: [0x478200, 0x47ffff], NZ: [0xc80000, 0xc87eff],
  PH: [0x758000, 0x75ffff], PL: [0x488000, 0x48d7ff], PT: [0x490000, 0x497bff], QA: [0x06a000, 0x06a3ff], RO: [0x4a0000, 0x4a7fff],
  SA: [0x7103a0, 0x717fff], SE: [0x4a8000, 0x4affff], SG: [0x768000, 0x76ffff], TH: [0x880000, 0x887fff], TR: [0x4b8300, 0x4bffff],
  US: [0xa00001, 0xadf7bf], VN: [0x888000, 0x88ffff], ZA: [0x008000, 0x00ffff],
};

/** Registration prefix of private aircraft by country; `#` marks digits instead of letters. */
// biome-ignore format: a table
export const registrationPrefixes: Readonly<Record<string, string>> = {
  US: 'N###', CA: 'C', GB: 'G', DE: 'DE', FR: 'F', NL: 'PH', BE: 'OO', CH: 'HB', AT: 'OE', IT: 'I', ES: 'EC', DK: 'OY', SE: 'SE', NO: 'LN', FI: 'OH',
  PL: 'SP', CZ: 'OK', IE: 'EI', AU: 'VH', NZ: 'ZK', JP: 'JA###', BR: 'PT', MX: 'XB', ZA: 'ZS', IN: 'VT', PT: 'CS', HU: 'HA',
};

/** Operators by ICAO designator. */
const codes = `
UAE ETD ARG AUA QFA VOZ JST BEL TAM GLO AZU ACA WJA SWR LAN CCA CES CSN CPA AVA CSA DLH EWG BCS SAS MSR IBE VLG FIN AFR BAW EZY TOM AEE WZZ GIA RYR
EIN ELY IGO AIC ICE ITY JAL ANA KAL AAR RAM AMX VOI MAS AXM KLM NOZ ANZ PAL LOT TAP QTR ROT SVA NSZ SIA THA THY AAL UAL DAL SWA JBU ASA FFT SKW RPA
ENY FDX UPS GTI HVN SAA`;

const countries = new Map(shippedOperators().map(({ icao, country }) => [icao, country!]));

export const operators = codes
  .trim()
  .split(/\s/)
  .map((icao) => ({ icao, country: countries.get(icao)! }));
