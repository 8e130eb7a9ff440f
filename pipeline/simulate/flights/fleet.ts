// The simulated aircraft: class, base, operator, address, and the properties of their transponder. Drawn once from the seed.
import type { Airport } from './airports.ts';
import { type AircraftClass, aircraftClasses, FLIGHT_VEHICLE } from './classes.ts';
import type { Flyer } from './leg.ts';
import { LINK_ADSB, LINK_ADSR, LINK_ANONYMOUS, LINK_MODE_S, LINK_NON_TRANSPONDER, LINK_TISB, LINK_TISB_TRACK, type Link } from './links.ts';
import { countryAddresses, operators, registrationPrefixes } from './operators.ts';
import { Random } from './random.ts';

/** Chooses link and qualities of aircraft instead of the usual ones, for tests; null where it does not. */
export type RareIdentity = (index: number, aircraftClass: AircraftClass) => (Partial<Identity> & { readonly link: Link }) | null;

export interface Identity extends Flyer {
  readonly address: number;
  /** ICAO designator of the operator; empty for private aircraft. */
  readonly operator: string;
  readonly country: string;
  /** Call sign of private aircraft and vehicles; empty when each flight has its own. */
  readonly registration: string;
  readonly link: Link;
  /** ADS-B version. */
  readonly version: number;
  /** Type code of airborne positions: 9-18. The surface type code and the NIC supplements follow from it. */
  readonly typeCode: number;
  readonly nacP: number;
  readonly nacV: number;
  readonly sil: number;
  readonly sda: number;
  readonly gva: number;
  /** Altitude encoder in 100-ft steps. */
  readonly gillham: boolean;
  /** Sends target state, TCAS and Comm-B registers; light aircraft do not. */
  readonly equipped: boolean;
  /** Sends airspeed (TC 19 subtype 3) because its position source gives no velocity. */
  readonly airspeedOnly: boolean;
  /** Visual flight: squawks 7000 or 1200. */
  readonly visual: boolean;
}

const TYPE_CODES = [11, 11, 11, 11, 11, 11, 11, 11, 11, 10, 9, 12, 12, 13, 15] as const;
const TAIL_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ';

const shareTotal = aircraftClasses.reduce((sum, aircraftClass) => sum + aircraftClass.share, 0);

/** Draws the fleet. Addresses are distinct. */
export function createFleet(
  count: number,
  seed: number,
  airports: readonly Airport[],
  rareIdentity: RareIdentity = () => null,
): Identity[] {
  const countries = [...new Set(airports.map((airport) => airport.country))];
  const local = operators.filter((operator) => countries.includes(operator.country));
  const used = new Set<number>();
  const random = new Random(seed, 0xf1ee7, 0);
  const fleet: Identity[] = [];
  for (let index = 0; index < count; index += 1) {
    random.reseed(seed, 0xf1ee7, index);
    const aircraftClass = pickClass(random);
    const base = random.below(airports.length);
    const country = airports[base]!.country;
    const own = local.filter((operator) => operator.country === country);
    const operator = random.pick(own.length > 0 && random.chance(0.9) ? own : local);
    const home = aircraftClass.scheduled ? operator.country : country in countryAddresses ? country : operator.country;
    const usual = pickLink(random, aircraftClass);
    const rare = rareIdentity(index, aircraftClass);
    const link = rare?.link ?? usual;
    const address = freeAddress(random, home, link, used);
    fleet.push({
      index,
      aircraftClass,
      base,
      address,
      operator: aircraftClass.scheduled ? operator.icao : '',
      country: home,
      registration: aircraftClass.scheduled ? '' : callSignOf(random, aircraftClass, home, index),
      link,
      ...quality(random, aircraftClass, link),
      ...rare,
    });
  }
  return fleet;
}

function pickClass(random: Random): AircraftClass {
  let left = random.share() * shareTotal;
  for (const aircraftClass of aircraftClasses) {
    left -= aircraftClass.share;
    if (left < 0) return aircraftClass;
  }
  return aircraftClasses[0]!;
}

function pickLink(random: Random, aircraftClass: AircraftClass): Link {
  const draw = random.share();
  if (aircraftClass.flight === FLIGHT_VEHICLE) return draw < 0.15 ? LINK_ANONYMOUS : LINK_NON_TRANSPONDER;
  if (aircraftClass.scheduled) return draw < 0.02 ? LINK_MODE_S : LINK_ADSB;
  if (draw < 0.12) return LINK_MODE_S;
  if (draw < 0.15) return LINK_TISB;
  if (draw < 0.17) return LINK_TISB_TRACK;
  if (draw < 0.2) return LINK_ADSR;
  return LINK_ADSB;
}

/** A free address of the country. When its block is full, one of the United States' block, which never is. */
function freeAddress(random: Random, country: string, link: Link, used: Set<number>): number {
  const block = countryAddresses[country] ?? countryAddresses['US']!;
  // Track numbers of a ground station are small.
  const [first, last] = link.address === 'track' ? [0x000100, 0x003fff] : block;
  for (let attempt = 0; attempt < 64; attempt += 1) {
    const address = first + random.below(last - first + 1);
    if (used.has(address)) continue;
    used.add(address);
    return address;
  }
  return freeAddress(random, 'US', LINK_ADSB, used);
}

function callSignOf(random: Random, aircraftClass: AircraftClass, country: string, index: number): string {
  if (aircraftClass.flight === FLIGHT_VEHICLE) return `${aircraftClass.category === 0xc1 ? 'FIRE' : 'OPS'}${index % 1000}`;
  const prefix = registrationPrefixes[country] ?? 'N###';
  let text = prefix.replace(/#/g, () => String(1 + random.below(9)));
  const length = prefix.includes('#') ? text.length + 2 : 5;
  while (text.length < length) text += TAIL_LETTERS[random.below(TAIL_LETTERS.length)]!;
  return text;
}

function quality(random: Random, aircraftClass: AircraftClass, link: Link) {
  const draw = random.share();
  const version =
    link === LINK_ADSB || link === LINK_NON_TRANSPONDER || link === LINK_ANONYMOUS ? (draw < 0.06 ? 0 : draw < 0.1 ? 1 : 2) : 2;
  const typeCode = random.pick(TYPE_CODES);
  const visual = !aircraftClass.scheduled && aircraftClass.cruiseFtMax < 10_000;
  return {
    version,
    typeCode,
    nacP: typeCode <= 11 ? 8 + random.below(4) : 7,
    nacV: 1 + random.below(2),
    sil: typeCode <= 12 ? 3 : 2,
    sda: 2 + random.below(2),
    gva: 1 + random.below(2),
    gillham: visual ? random.chance(0.15) : random.chance(0.004),
    equipped: !visual && aircraftClass.flight !== FLIGHT_VEHICLE,
    airspeedOnly: random.chance(0.006),
    visual,
  };
}
