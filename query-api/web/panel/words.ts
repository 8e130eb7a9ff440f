// Codes of transponders and of reference data, in words: squawks, emergencies, categories, sources, integrity and accuracy as DO-260B defines them.
import { countryNames } from '../../../pipeline/reference/addresses/country-names.ts';
import { stateBlocks } from '../../../pipeline/reference/addresses/states.ts';
import { keyOf } from '../sky/picture.ts';

export type Words = Readonly<Record<string, string>>;

// biome-ignore format: a table
export const squawks: Words = {
  '7500': 'unlawful interference', '7600': 'radio failure', '7700': 'general emergency', '7400': 'lost link of an unmanned aircraft',
  '1000': 'identified by its call sign', '1200': 'visual flight rules', '2000': 'no code assigned', '7000': 'visual flight rules',
};
export const emergencies: Words = {
  general: 'general emergency',
  lifeguard: 'medical flight',
  minfuel: 'minimum fuel',
  nordo: 'radio failure',
  unlawful: 'unlawful interference',
  downed: 'downed aircraft',
};
// biome-ignore format: a table
export const categories: Words = {
  A1: 'light aeroplane', A2: 'small aeroplane', A3: 'large aeroplane', A4: 'large aeroplane with strong wake', A5: 'heavy aeroplane',
  A6: 'fast, highly manoeuvrable aeroplane', A7: 'rotorcraft', B1: 'glider', B2: 'lighter than air', B3: 'parachutist',
  B4: 'ultralight or hang-glider', B6: 'unmanned aircraft', B7: 'space vehicle', C1: 'emergency vehicle on the surface',
  C2: 'service vehicle on the surface', C3: 'obstacle', C4: 'obstacles in a cluster', C5: 'obstacles in a line',
};
/** Sources by `source`. */
// biome-ignore format: a table
export const sourceWords: Words = {
  adsb_icao: 'ADS-B, sent by the aircraft', adsb_icao_nt: 'ADS-B, sent by equipment without a transponder',
  adsb_other: 'ADS-B, with an address that ICAO did not give', adsr_icao: 'ADS-R: ADS-B that a ground station repeats from another link',
  adsr_other: 'ADS-R, with an address that ICAO did not give', tisb_icao: 'TIS-B: a ground station sends what radar sees',
  tisb_trackfile: 'TIS-B: a ground station sends a radar target without an address',
  tisb_other: 'TIS-B, with an address that ICAO did not give', adsc: 'ADS-C, through a satellite or data link',
  mlat: 'MLAT: calculated from arrival times at several receivers', mode_s: 'Mode S: the aircraft sends no position',
  mode_ac: 'Mode A/C: the aircraft sends no position',
};
export const modes: Words = {
  autopilot: 'autopilot',
  vnav: 'vertical navigation',
  althold: 'altitude hold',
  approach: 'approach',
  lnav: 'lateral navigation',
  tcas: 'collision avoidance on',
};
export const versions: Words = { '0': 'DO-260', '1': 'DO-260A', '2': 'DO-260B', '3': 'DO-260C' };
/** NACp: the position is within this distance in 95 % of the cases. */
// biome-ignore format: a table
export const accuracies: Words = {
  '0': 'unknown', '1': 'within 10 nm', '2': 'within 4 nm', '3': 'within 2 nm', '4': 'within 1 nm', '5': 'within 0.5 nm',
  '6': 'within 0.3 nm', '7': 'within 185 m', '8': 'within 93 m', '9': 'within 30 m', '10': 'within 10 m', '11': 'within 3 m',
};
export const speedAccuracies: Words = {
  '0': 'unknown',
  '1': 'within 10 m/s',
  '2': 'within 3 m/s',
  '3': 'within 1 m/s',
  '4': 'within 0.3 m/s',
};
export const heightAccuracies: Words = { '0': 'unknown', '1': 'within 150 m', '2': 'within 45 m' };
/** Chance that the position is further away than its radius of containment, or that a fault of the equipment stays unnoticed. */
export const chances: Words = { '0': 'unknown', '1': 'at most 1 in 1,000', '2': 'at most 1 in 100,000', '3': 'at most 1 in 10 million' };
export const chancePer: Words = { perhour: ' per flight hour', persample: ' per sample' };

/** Bits of `dbFlags`. */
const flagWords = ['military', 'of interest', 'privacy address (PIA)', 'limited display requested (LADD)'];
export const flagsOf = (flags: unknown): string =>
  typeof flags === 'number' ? flagWords.filter((_, bit) => (flags & (2 ** bit)) !== 0).join(', ') : '';

/** Country that registers the aircraft, by its address; undefined for an address that no state has. */
export function countryOf(hex: string): string | undefined {
  const key = keyOf(hex);
  const block = stateBlocks.find(({ first, last }) => key >= first && key <= last);
  return block && (countryNames.get(block.country) ?? block.country);
}
export const countryName = (code: string | undefined): string => countryNames.get(code ?? '') ?? code ?? '';
