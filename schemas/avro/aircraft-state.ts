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

/** An ACAS (TCAS) resolution advisory report. ICAO Annex 10 vol. IV §4.3.8.4.2.2. */
export interface AcasAdvisory {
  /** Event time of the report, ms since the Unix epoch. */
  timeMs: number;
  /** Downlink format that brought it: 16, 17, 18, 20, 21. */
  df: number;
  /** The report, 14 upper-case hex digits. */
  bytes: string;
  /** What the crew is told, in words. */
  advisory: string;
  /** What other aircraft asked for, in words; may be empty. */
  complement: string;
  /** 24-bit address of the threat. */
  threatHex: string | null;
  /** The threat's place, where it tells no address: altitude, range in tenths of a nautical mile, bearing from the nose, degrees. */
  threatAltitudeFt: number | null;
  threatRangeDeciNm: number | null;
  threatBearingDeg: number | null;
}

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
  /** The last ACAS report, for 15 s. */
  acasRa: AcasAdvisory | null;
  /** Bits of `fieldNames` whose present value came from multilateration. */
  mlatFields: number;
  /** Bits of `fieldNames` whose present value came from TIS-B. */
  tisbFields: number;
}

const nullableInt = ['null', 'int'] as const;
const nullableString = ['null', 'string'] as const;
const optionalInt = (name: string, doc = '') => ({ name, type: nullableInt, default: null, ...(doc === '' ? {} : { doc }) });

const acasAdvisorySchema = {
  type: 'record',
  name: 'AcasAdvisory',
  fields: [
    { name: 'timeMs', type: 'long', doc: 'event time of the report' },
    { name: 'df', type: 'int', doc: 'downlink format that brought it' },
    { name: 'bytes', type: 'string', doc: 'the report, 14 hex digits' },
    { name: 'advisory', type: 'string', doc: 'what the crew is told, in words' },
    { name: 'complement', type: 'string', doc: 'what other aircraft asked for, in words' },
    { name: 'threatHex', type: nullableString, default: null, doc: 'address of the threat' },
    optionalInt('threatAltitudeFt'),
    optionalInt('threatRangeDeciNm', 'tenths of a nautical mile'),
    optionalInt('threatBearingDeg', "from the aircraft's nose, clockwise"),
  ],
} as const;

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
    { name: 'acasRa', type: ['null', acasAdvisorySchema], default: null, doc: 'the last ACAS report, for 15 s' },
    { name: 'mlatFields', type: 'long', doc: `bits: ${fieldNames.join(', ')}` },
    { name: 'tisbFields', type: 'long', doc: 'bits as in mlatFields' },
  ],
} as const;
