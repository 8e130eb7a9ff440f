// Parts of state blocks used by armed forces. No standard lists them; they are known from observed traffic.
// States that assign military addresses one by one are not listed.
import type { Block } from '../tables/blocks.ts';

// biome-ignore format: a table
const ranges = `
  EG 010070 01008F  DZ 0A4000 0A4FFF  IT 33FF00 33FFFF  ES 350000 37FFFF  FR 3AA000 3AFFFF  FR 3B7000 3BFFFF
  DE 3EA000 3EBFFF  DE 3F4000 3FBFFF  GB 400000 40003F  GB 43C000 43CFFF  AT 444000 446FFF  BE 44F000 44FFFF
  BG 457000 457FFF  DK 45F400 45F4FF  GR 468000 4683FF  HU 473C00 473C0F  NO 478100 4781FF  NL 480000 480FFF
  PL 48D800 48D87F  PT 497C00 497CFF  CZ 498420 49842F  CH 4B7000 4B7FFF  TR 4B8200 4B82FF  SI 506F32 506FFF
  OM 70C070 70C07F  SA 710258 71028F  SA 710380 71039F  IL 738A00 738AFF  AU 7CF800 7CFAFF  IN 800200 8002FF
  US ADF7C8 AFFFFF  CA C20000 C3FFFF  BR E40000 E41FFF  CL E80600 E806FF`;

export const militaryBlocks: readonly Block[] = [...ranges.matchAll(/([A-Z]{2}) ([0-9A-F]{6}) ([0-9A-F]{6})/g)].map(
  ([, country, first, last]) => ({
    first: Number.parseInt(first!, 16),
    last: Number.parseInt(last!, 16),
    country: country!,
    military: true,
  }),
);
