// Where the rows of a day come from: the store or the log. A source fills a `DaySpill`; the writer makes the same bytes of the same rows in any order.

/** Rows of positions as columns of scaled integers, with the names and meanings of the table `positions` (schemas/clickhouse). Null is absent. */
export interface PositionBlock {
  readonly timeUs: number[];
  /** Bit 24 is set for an address that is not an ICAO one. */
  readonly icao24: number[];
  readonly latitudeMicrodeg: number[];
  readonly longitudeMicrodeg: number[];
  readonly onGround: boolean[];
  readonly altitudeBaroFt: (number | null)[];
  readonly altitudeGeomFt: (number | null)[];
  readonly groundSpeedDeciKt: (number | null)[];
  readonly trackCentideg: (number | null)[];
  readonly baroRateFpm: (number | null)[];
  readonly source: number[];
  readonly nic: number[];
  readonly rcM: number[];
  readonly partition: number[];
  readonly frameOffset: number[];
  readonly frameIndex: number[];
  readonly callsign: (string | null)[];
  readonly squawk: (number | null)[];
  readonly rssiDeciDbfs: (number | null)[];
}

/** A flight that ended, as in `EndedFlight`, with its offset in the topic of ended flights. */
export interface FlightRow {
  readonly icao24: number;
  readonly callsign: string | null;
  readonly firstSeenMs: number;
  readonly airborneMs: number | null;
  readonly origin: string | null;
  readonly originSource: string | null;
  readonly destination: string | null;
  readonly destinationSource: string | null;
  readonly takeoffMs: number | null;
  readonly takeoffAirport: string | null;
  readonly takeoffSource: string | null;
  readonly landingMs: number | null;
  readonly landingAirport: string | null;
  readonly landingSource: string | null;
  readonly endedMs: number;
  readonly lastSeenMs: number;
  readonly end: string;
  readonly partition: number;
  readonly recordOffset: number;
}

/** What a source fills. */
export interface SpillTarget {
  /** A folder for files of the source; it is removed with the spill. */
  readonly folder: string;
  positions(block: PositionBlock): void;
  /** Parquet files with the columns of `PositionBlock`; `timeUs` may be a timestamp named `time` instead. */
  positionFiles(paths: readonly string[]): void;
  flights(rows: readonly FlightRow[]): void;
}

export interface DayBounds {
  readonly day: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface DaySource {
  /** For messages: `the log`. */
  readonly name: string;
  /** Gives all positions of the day, and all flights that overlap it or end on it. */
  fill(bounds: DayBounds, target: SpillTarget, watch: SpillWatch): Promise<void>;
}

export interface SpillWatch {
  readonly signal: AbortSignal;
  /** Share done is `done` of `total`; `rows` so far. */
  readonly onProgress: (done: number, total: number, rows: number) => void;
}
