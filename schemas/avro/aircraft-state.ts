// Value of `adsb.aircraft.v1`: everything known of one aircraft at a tick. Absent means unknown or expired.
// Scaled integers, unit in the name: 4123 centideg is 41.23 degrees. Field meaning: the interface documentation.

/** Kinds of source, best first; a state's `source` is an index into this list. The names are those of the readsb view. */
export const sourceKinds = [
  'adsb_icao',
  'adsb_icao_nt',
  'adsr_icao',
  'tisb_icao',
  'adsc',
  'mlat',
  'other',
  'mode_s',
  'adsb_other',
  'adsr_other',
  'tisb_trackfile',
  'tisb_other',
  'mode_ac',
  'unknown',
] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** Names in the `mlat` and `tisb` lists, in their order; bit n of a field mask stands for name n. */
export const fieldNames = [
  'callsign',
  'altitude',
  'alt_geom',
  'gs',
  'ias',
  'tas',
  'mach',
  'track',
  'track_rate',
  'roll',
  'mag_heading',
  'true_heading',
  'baro_rate',
  'geom_rate',
  'squawk',
  'emergency',
  'nav_qnh',
  'nav_altitude_mcp',
  'nav_altitude_fms',
  'nav_heading',
  'nav_modes',
  'lat',
  'lon',
  'nic',
  'rc',
  'nic_baro',
  'nac_p',
  'nac_v',
  'sil',
  'sil_type',
  'gva',
  'sda',
] as const;

/** Emergency/priority status codes 0 to 7, DO-260B §2.2.3.2.7.8.1. */
export const emergencyNames = ['none', 'general', 'lifeguard', 'minfuel', 'nordo', 'unlawful', 'downed', 'reserved'] as const;

/** Bit n of `navModes` stands for name n. */
export const navModeNames = ['autopilot', 'vnav', 'althold', 'approach', 'lnav', 'tcas'] as const;

/** Values of `silType`. */
export const silTypeNames = ['unknown', 'perhour', 'persample'] as const;

export interface AircraftState {
  hex: string;
  /** The tick this state was taken at, ms since the Unix epoch. */
  tickMs: number;
  /** Index into `sourceKinds`. */
  source: number;
  /** Event time of the last message, ms since the Unix epoch. */
  seenMs: number;
  messages: number;
  /** Mean signal of the last messages, tenths of dBFS; -495 means no signal level is known. */
  rssiDeciDbfs: number;
  /** Event time of the last reliable position; null when there never was one. */
  positionMs: number | null;
  /** False when the position is older than 60 s: then it is the `lastPosition`. */
  positionValid: boolean;
  latitudeMicrodeg: number | null;
  longitudeMicrodeg: number | null;
  nic: number | null;
  rcM: number | null;
  /** While satellite navigation is lost, for at most 15 min: event time and place of the last position with good accuracy. */
  gpsOkMs: number | null;
  gpsOkLatitudeMicrodeg: number | null;
  gpsOkLongitudeMicrodeg: number | null;
  onGround: boolean | null;
  flight: string | null;
  category: string | null;
  squawk: string | null;
  /** Index into `emergencyNames`. */
  emergency: number | null;
  altitudeBaroFt: number | null;
  altitudeGeomFt: number | null;
  groundSpeedDeciKt: number | null;
  iasKt: number | null;
  tasKt: number | null;
  machMilli: number | null;
  trackCentideg: number | null;
  calcTrackDeg: number | null;
  trackRateCentidegPerS: number | null;
  rollCentideg: number | null;
  magHeadingCentideg: number | null;
  trueHeadingCentideg: number | null;
  baroRateFpm: number | null;
  geomRateFpm: number | null;
  navQnhDeciHpa: number | null;
  navAltitudeMcpFt: number | null;
  navAltitudeFmsFt: number | null;
  navHeadingCentideg: number | null;
  /** Bits of `navModeNames`; 0 is a valid report with nothing engaged. */
  navModes: number | null;
  version: number | null;
  nicBaro: number | null;
  nacP: number | null;
  nacV: number | null;
  sil: number | null;
  /** Index into `silTypeNames`. */
  silType: number | null;
  gva: number | null;
  sda: number | null;
  alert: number | null;
  spi: number | null;
  windDirectionDeg: number | null;
  windSpeedKt: number | null;
  oatC: number | null;
  tatC: number | null;
  /** Bits of `fieldNames` whose present value came from multilateration. */
  mlatFields: number;
  /** Bits of `fieldNames` whose present value came from TIS-B. */
  tisbFields: number;
}

const nullableInt = ['null', 'int'] as const;
const nullableString = ['null', 'string'] as const;
const optionalInt = (name: string, doc = '') => ({ name, type: nullableInt, default: null, ...(doc === '' ? {} : { doc }) });

export const aircraftStateSchema = {
  type: 'record',
  name: 'AircraftState',
  namespace: 'squitter.v1',
  doc: 'Everything known of one aircraft at a tick. Null means unknown or expired.',
  fields: [
    { name: 'hex', type: 'string', doc: 'ICAO address, 6 lower-case hex digits, ~ before a non-ICAO address' },
    { name: 'tickMs', type: 'long', doc: 'the tick this state was taken at, ms since the Unix epoch' },
    { name: 'source', type: 'int', doc: `index into ${sourceKinds.join(', ')}` },
    { name: 'seenMs', type: 'long', doc: 'event time of the last message' },
    { name: 'messages', type: 'int' },
    { name: 'rssiDeciDbfs', type: 'int', doc: '-495: no signal level known' },
    { name: 'positionMs', type: ['null', 'long'], default: null, doc: 'event time of the last reliable position' },
    { name: 'positionValid', type: 'boolean', doc: 'false when that position is older than 60 s' },
    optionalInt('latitudeMicrodeg'),
    optionalInt('longitudeMicrodeg'),
    optionalInt('nic'),
    optionalInt('rcM', 'containment radius, m; 0 unknown'),
    {
      name: 'gpsOkMs',
      type: ['null', 'long'],
      default: null,
      doc: 'satellite navigation is lost: event time of the last position with good accuracy',
    },
    optionalInt('gpsOkLatitudeMicrodeg'),
    optionalInt('gpsOkLongitudeMicrodeg'),
    { name: 'onGround', type: ['null', 'boolean'], default: null },
    { name: 'flight', type: nullableString, default: null, doc: 'call sign, 8 characters, padded with spaces' },
    { name: 'category', type: nullableString, default: null, doc: 'emitter category, A0 to D7' },
    { name: 'squawk', type: nullableString, default: null, doc: '4 octal digits' },
    optionalInt('emergency', `index into ${emergencyNames.join(', ')}`),
    optionalInt('altitudeBaroFt'),
    optionalInt('altitudeGeomFt'),
    optionalInt('groundSpeedDeciKt'),
    optionalInt('iasKt'),
    optionalInt('tasKt'),
    optionalInt('machMilli'),
    optionalInt('trackCentideg'),
    optionalInt('calcTrackDeg'),
    optionalInt('trackRateCentidegPerS'),
    optionalInt('rollCentideg'),
    optionalInt('magHeadingCentideg'),
    optionalInt('trueHeadingCentideg'),
    optionalInt('baroRateFpm'),
    optionalInt('geomRateFpm'),
    optionalInt('navQnhDeciHpa'),
    optionalInt('navAltitudeMcpFt'),
    optionalInt('navAltitudeFmsFt'),
    optionalInt('navHeadingCentideg'),
    optionalInt('navModes', `bits: ${navModeNames.join(', ')}`),
    optionalInt('version', 'ADS-B version'),
    optionalInt('nicBaro'),
    optionalInt('nacP'),
    optionalInt('nacV'),
    optionalInt('sil'),
    optionalInt('silType', `index into ${silTypeNames.join(', ')}`),
    optionalInt('gva'),
    optionalInt('sda'),
    optionalInt('alert'),
    optionalInt('spi'),
    optionalInt('windDirectionDeg'),
    optionalInt('windSpeedKt'),
    optionalInt('oatC'),
    optionalInt('tatC'),
    { name: 'mlatFields', type: 'long', doc: `bits: ${fieldNames.join(', ')}` },
    { name: 'tisbFields', type: 'long', doc: 'bits as in mlatFields' },
  ],
} as const;
