// What reference data tell of an aircraft beside what it sends: a port, so that the view knows no data sets.

/** Names and meanings: interface specification, decisions part 2. What is not known is absent. */
export interface AircraftFacts {
  /** `r` */
  readonly registration?: string;
  /** `t`: ICAO type designator. */
  readonly typeDesignator?: string;
  /** `desc` */
  readonly description?: string;
  /** `ownOp` */
  readonly operator?: string;
  /** `year`: four digits. */
  readonly year?: string;
  /** `dbFlags`: 1 military, 2 interesting, 4 PIA, 8 LADD; 0 is not shown. */
  readonly dbFlags: number;
}

export interface AircraftFactsSource {
  /** Grows whenever other facts may be given than before: data were loaded. */
  readonly version: number;
  /** Facts of an aircraft by its `hexKey`; null where nothing is known. Never waits. */
  facts(key: number): AircraftFacts | null;
}
