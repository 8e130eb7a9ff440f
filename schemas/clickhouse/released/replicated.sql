-- 8 tables

CREATE TABLE IF NOT EXISTS positions
(
  time DateTime64(6, 'UTC') COMMENT 'Event time of the frame that gave the position.' CODEC(Delta, T64('bit'), ZSTD(1)),
  icao24 UInt32 COMMENT 'ICAO 24-bit address; plus 16777216 for an address that is not an ICAO one.' CODEC(Delta, ZSTD(1)),
  latitudeMicrodeg Int32 COMMENT 'Latitude of the position, WGS 84; absent without a valid position. In degrees times 1000000.' CODEC(Delta, T64('bit'), ZSTD(1)),
  longitudeMicrodeg Int32 COMMENT 'Longitude of the position, WGS 84; absent without a valid position. In degrees times 1000000.' CODEC(Delta, T64('bit'), ZSTD(1)),
  onGround Bool COMMENT 'Whether the aircraft is on the ground.' CODEC(ZSTD(1)),
  altitudeBaroFt Nullable(Int32) COMMENT 'Pressure altitude at 1013.25 hPa, or the word ground; may be negative. In ft.' CODEC(Delta, ZSTD(1)),
  altitudeGeomFt Nullable(Int32) COMMENT 'Altitude above the WGS 84 ellipsoid. In ft.' CODEC(Delta, ZSTD(1)),
  groundSpeedDeciKt Nullable(Int32) COMMENT 'Ground speed. In kt times 10.' CODEC(Delta, ZSTD(1)),
  trackCentideg Nullable(UInt16) COMMENT 'Track over ground, true. In degrees times 100.' CODEC(Delta, ZSTD(1)),
  baroRateFpm Nullable(Int32) COMMENT 'Vertical rate of the pressure altitude. In ft/min.' CODEC(Delta, ZSTD(1)),
  source UInt8 COMMENT 'Kind of source of the position, in full, under readsb\'s names. Index into: adsb_icao, adsb_icao_nt, adsr_icao, tisb_icao, adsc, mlat, other, mode_s, adsb_other, adsr_other, tisb_trackfile, tisb_other, mode_ac, unknown.' CODEC(ZSTD(1)),
  nic UInt8 COMMENT 'Navigation integrity category of the position.' CODEC(ZSTD(1)),
  rcM Int32 COMMENT 'Radius of containment of the position; 0 is unknown. In m.' CODEC(ZSTD(1)),
  callsign LowCardinality(Nullable(String)) COMMENT 'Call sign as known at this position, without blanks around it.' CODEC(ZSTD(1)),
  squawk Nullable(UInt16) COMMENT 'Transponder code as known at this position: four octal digits, read as a decimal number.' CODEC(ZSTD(1)),
  rssiDeciDbfs Nullable(Int16) COMMENT 'Mean signal level of the last messages. In dBFS times 10.' CODEC(Delta, T64('bit'), ZSTD(1)),
  partition UInt16 COMMENT 'Partition of the frames topic.' CODEC(ZSTD(1)),
  frameOffset Int64 COMMENT 'Offset of the frame record in that partition.' CODEC(DoubleDelta, ZSTD(1)),
  frameIndex UInt16 COMMENT 'Index of the frame in its record.' CODEC(Delta, T64('bit'), ZSTD(1)),
  PROJECTION aircraft_days (SELECT icao24, toDate(time) AS day, count() AS positions, min(time) AS firstTime, max(time) AS lastTime GROUP BY icao24, day),
  PROJECTION density_hours (SELECT toStartOfHour(time) AS hour, toInt16(floor(latitudeMicrodeg / 100000)) AS latitudeCell, toInt16(floor(longitudeMicrodeg / 100000)) AS longitudeCell, count() AS positions GROUP BY hour, latitudeCell, longitudeCell)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toDate(time)
ORDER BY (toStartOfTenMinutes(time), icao24, time)
SETTINGS replicated_deduplication_window = 10000, min_compress_block_size = 32768
COMMENT 'One row per accepted position.'

CREATE TABLE IF NOT EXISTS flights
(
  icao24 UInt32 COMMENT 'ICAO 24-bit address; plus 16777216 for an address that is not an ICAO one.' CODEC(Delta, ZSTD(1)),
  callsign Nullable(String) COMMENT 'Without blanks.' CODEC(ZSTD(1)),
  aircraftOffset Int64 COMMENT 'Offset of the aircraft state, same partition, that this record was made from.' CODEC(Delta, ZSTD(1)),
  firstSeen DateTime64(3, 'UTC') COMMENT 'Tick of the first state of this flight.' CODEC(Delta, ZSTD(1)),
  airborne Nullable(DateTime64(3, 'UTC')) COMMENT 'Tick of its first state in the air.' CODEC(Delta, ZSTD(1)),
  origin LowCardinality(Nullable(String)) COMMENT 'ICAO code, else IATA or local code; null where the motion contradicts every known route and no take-off was observed.' CODEC(ZSTD(1)),
  originSource LowCardinality(Nullable(String)) COMMENT 'Observed, plan or schedule.' CODEC(ZSTD(1)),
  destination LowCardinality(Nullable(String)) COMMENT 'ICAO code, else IATA or local code; null where the motion contradicts every known route and no landing was observed.' CODEC(ZSTD(1)),
  destinationSource LowCardinality(Nullable(String)) COMMENT 'Observed, plan or schedule.' CODEC(ZSTD(1)),
  takeoff Nullable(DateTime64(3, 'UTC')) COMMENT 'Observed take-off.' CODEC(Delta, ZSTD(1)),
  takeoffAirport LowCardinality(Nullable(String)) COMMENT 'ICAO code, else IATA or local code.' CODEC(ZSTD(1)),
  takeoffSource LowCardinality(Nullable(String)) COMMENT 'Transition: reported the ground before; appearance: first heard just above the airport, climbing.' CODEC(ZSTD(1)),
  landing Nullable(DateTime64(3, 'UTC')) COMMENT 'Observed landing.' CODEC(Delta, ZSTD(1)),
  landingAirport LowCardinality(Nullable(String)) COMMENT 'ICAO code, else IATA or local code.' CODEC(ZSTD(1)),
  landingSource LowCardinality(Nullable(String)) COMMENT 'Transition: reported the ground after; silence: last heard just above the airport, descending.' CODEC(ZSTD(1)),
  ended DateTime64(3, 'UTC') COMMENT 'Tick at which it was seen to be over.' CODEC(Delta, ZSTD(1)),
  lastSeen DateTime64(3, 'UTC') COMMENT 'The last message of the aircraft before that.' CODEC(Delta, ZSTD(1)),
  end LowCardinality(String) COMMENT 'Departed: took off again; renamed: another call sign; parked: landed 20 minutes ago; gone: not heard for up to an hour.' CODEC(ZSTD(1)),
  partition UInt16 COMMENT 'Partition of the topic of ended flights.' CODEC(ZSTD(1)),
  recordOffset Int64 COMMENT 'Offset of the record in that partition.' CODEC(Delta, ZSTD(1))
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toDate(ended)
ORDER BY (icao24, firstSeen)
SETTINGS replicated_deduplication_window = 10000
COMMENT 'One row per flight that ended.'

CREATE TABLE IF NOT EXISTS signal_history
(
  time DateTime('UTC') COMMENT 'Time of the sample.' CODEC(DoubleDelta, ZSTD(1)),
  avgDeciDbfs Nullable(Int16) COMMENT 'Average of the signal of all aircraft. In dBFS times 10.' CODEC(Delta, ZSTD(1)),
  medianDeciDbfs Nullable(Int16) COMMENT 'Median. In dBFS times 10.' CODEC(Delta, ZSTD(1)),
  p10DeciDbfs Nullable(Int16) COMMENT '10th percentile. In dBFS times 10.' CODEC(Delta, ZSTD(1)),
  p90DeciDbfs Nullable(Int16) COMMENT '90th percentile. In dBFS times 10.' CODEC(Delta, ZSTD(1)),
  aircraftCount UInt32 COMMENT 'Aircraft with a known signal.' CODEC(Delta, ZSTD(1)),
  aircraft Nullable(UInt32) COMMENT 'Aircraft listed.' CODEC(Delta, ZSTD(1)),
  withPosition Nullable(UInt32) COMMENT 'Aircraft listed with a valid position.' CODEC(Delta, ZSTD(1)),
  messagesDeciPerSecond Nullable(UInt32) COMMENT 'Messages per second times 10.' CODEC(Delta, ZSTD(1)),
  adsbIcao Nullable(UInt32) COMMENT 'Aircraft by ADS-B.' CODEC(Delta, ZSTD(1)),
  mlat Nullable(UInt32) COMMENT 'Aircraft by multilateration.' CODEC(Delta, ZSTD(1)),
  tisb Nullable(UInt32) COMMENT 'Aircraft by TIS-B.' CODEC(Delta, ZSTD(1)),
  adsr Nullable(UInt32) COMMENT 'Aircraft by ADS-R.' CODEC(Delta, ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toDate(time)
ORDER BY time
SETTINGS replicated_deduplication_window = 10000
COMMENT 'Received signal, one row per 2 seconds.'

CREATE TABLE IF NOT EXISTS feeder_history
(
  time DateTime('UTC') COMMENT 'Start of the five minutes.' CODEC(DoubleDelta, ZSTD(1)),
  feeder LowCardinality(String) COMMENT 'Id of the feeder: a keyed hash.' CODEC(ZSTD(1)),
  frames UInt32 COMMENT 'Frames, noise and duplicates included.' CODEC(Delta, ZSTD(1)),
  positions UInt32 COMMENT 'Positions that it gave first.' CODEC(Delta, ZSTD(1)),
  disagreements UInt32 COMMENT 'Contradictions to others.' CODEC(Delta, ZSTD(1)),
  aircraft UInt32 COMMENT 'The most aircraft in one of its minutes.' CODEC(Delta, ZSTD(1)),
  signalDecidb Nullable(Int16) COMMENT 'Mean signal level. In dBFS times 10.' CODEC(Delta, ZSTD(1)),
  range0Nm UInt16 COMMENT 'Greatest range at 0 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1)),
  range1Nm UInt16 COMMENT 'Greatest range at 22.5 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1)),
  range2Nm UInt16 COMMENT 'Greatest range at 45 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1)),
  range3Nm UInt16 COMMENT 'Greatest range at 67.5 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1)),
  range4Nm UInt16 COMMENT 'Greatest range at 90 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1)),
  range5Nm UInt16 COMMENT 'Greatest range at 112.5 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1)),
  range6Nm UInt16 COMMENT 'Greatest range at 135 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1)),
  range7Nm UInt16 COMMENT 'Greatest range at 157.5 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1)),
  range8Nm UInt16 COMMENT 'Greatest range at 180 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1)),
  range9Nm UInt16 COMMENT 'Greatest range at 202.5 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1)),
  range10Nm UInt16 COMMENT 'Greatest range at 225 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1)),
  range11Nm UInt16 COMMENT 'Greatest range at 247.5 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1)),
  range12Nm UInt16 COMMENT 'Greatest range at 270 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1)),
  range13Nm UInt16 COMMENT 'Greatest range at 292.5 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1)),
  range14Nm UInt16 COMMENT 'Greatest range at 315 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1)),
  range15Nm UInt16 COMMENT 'Greatest range at 337.5 degrees from north, clockwise. In nautical miles.' CODEC(Delta, ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toDate(time)
ORDER BY (feeder, time)
SETTINGS replicated_deduplication_window = 10000
COMMENT 'Counts of a feeder, one row per feeder and 5 minutes.'

CREATE VIEW IF NOT EXISTS aircraft_days AS
SELECT icao24, toDate(time) AS day, count() AS positions, min(time) AS firstTime, max(time) AS lastTime FROM positions GROUP BY icao24, day
COMMENT 'Positions per aircraft and day (UTC), with the time of the first and of the last.'

CREATE VIEW IF NOT EXISTS density_hours AS
SELECT toStartOfHour(time) AS hour, toInt16(floor(latitudeMicrodeg / 100000)) AS latitudeCell, toInt16(floor(longitudeMicrodeg / 100000)) AS longitudeCell, count() AS positions FROM positions GROUP BY hour, latitudeCell, longitudeCell
COMMENT 'Positions per hour and cell, which has its southern and western edge in degrees times 10.'
