// An AircraftState in Avro, field by field as its schema has them: there are ten thousands of them in a second. Gives avsc's bytes
// (`test/properties/codec.test.ts`), but does not look whether the values fit.
import type { AcasAdvisory, AircraftState } from './aircraft-state.ts';
import type { AvroWriter } from './avro-writer.ts';

/** More than all that is no text can take: six longs, fifty ints, an advisory's. */
const NUMBERS_BYTES_MAX = 512;
/** More than the length of a string and a character of it can take. */
const LENGTH_BYTES_MAX = 5;
const CHARACTER_BYTES_MAX = 3;

export function writeAircraftState(writer: AvroWriter, state: AircraftState): void {
  const { flight, category, acasRa } = state;
  writer.reserve(
    NUMBERS_BYTES_MAX + textBytes(state.hex) + textBytes(flight ?? '') + textBytes(category ?? '') + textBytes(state.squawk ?? ''),
  );
  writer.string(state.hex);
  writer.long(state.tickMs);
  writer.int(state.source);
  writer.long(state.seenMs);
  writer.int(state.messages);
  writer.int(state.rssiDeciDbfs);
  writer.nullableLong(state.positionMs);
  writer.boolean(state.positionValid);
  writer.nullableInt(state.latitudeMicrodeg);
  writer.nullableInt(state.longitudeMicrodeg);
  writer.nullableInt(state.nic);
  writer.nullableInt(state.rcM);
  writer.nullableLong(state.gpsOkMs);
  writer.nullableInt(state.gpsOkLatitudeMicrodeg);
  writer.nullableInt(state.gpsOkLongitudeMicrodeg);
  writer.nullableBoolean(state.onGround);
  writer.nullableString(flight);
  writer.nullableString(category);
  writer.nullableString(state.squawk);
  writer.nullableInt(state.emergency);
  writeMotion(writer, state);
  writeQuality(writer, state);
  writer.nullableInt(state.windDirectionDeg);
  writer.nullableInt(state.windSpeedKt);
  writer.nullableInt(state.oatC);
  writer.nullableInt(state.tatC);
  if (acasRa === null) writer.isNull(true);
  else {
    writer.isNull(false);
    writeAdvisory(writer, acasRa);
  }
  writer.reserve(NUMBERS_BYTES_MAX);
  writer.long(state.mlatFields);
  writer.long(state.tisbFields);
}

function writeMotion(writer: AvroWriter, state: AircraftState): void {
  writer.nullableInt(state.altitudeBaroFt);
  writer.nullableInt(state.altitudeGeomFt);
  writer.nullableInt(state.groundSpeedDeciKt);
  writer.nullableInt(state.iasKt);
  writer.nullableInt(state.tasKt);
  writer.nullableInt(state.machMilli);
  writer.nullableInt(state.trackCentideg);
  writer.nullableInt(state.calcTrackDeg);
  writer.nullableInt(state.trackRateCentidegPerS);
  writer.nullableInt(state.rollCentideg);
  writer.nullableInt(state.magHeadingCentideg);
  writer.nullableInt(state.trueHeadingCentideg);
  writer.nullableInt(state.baroRateFpm);
  writer.nullableInt(state.geomRateFpm);
  writer.nullableInt(state.navQnhDeciHpa);
  writer.nullableInt(state.navAltitudeMcpFt);
  writer.nullableInt(state.navAltitudeFmsFt);
  writer.nullableInt(state.navHeadingCentideg);
  writer.nullableInt(state.navModes);
}

function writeQuality(writer: AvroWriter, state: AircraftState): void {
  writer.nullableInt(state.version);
  writer.nullableInt(state.nicBaro);
  writer.nullableInt(state.nacP);
  writer.nullableInt(state.nacV);
  writer.nullableInt(state.sil);
  writer.nullableInt(state.silType);
  writer.nullableInt(state.gva);
  writer.nullableInt(state.sda);
  writer.nullableInt(state.alert);
  writer.nullableInt(state.spi);
}

function writeAdvisory(writer: AvroWriter, { bytes, advisory, complement, threatHex, ...advice }: AcasAdvisory): void {
  writer.reserve(NUMBERS_BYTES_MAX + textBytes(bytes) + textBytes(advisory) + textBytes(complement) + textBytes(threatHex ?? ''));
  writer.long(advice.timeMs);
  writer.int(advice.df);
  writer.string(bytes);
  writer.string(advisory);
  writer.string(complement);
  writer.nullableString(threatHex);
  writer.nullableInt(advice.threatAltitudeFt);
  writer.nullableInt(advice.threatRangeDeciNm);
  writer.nullableInt(advice.threatBearingDeg);
}

/** Bytes of a string, at most. */
function textBytes(text: string): number {
  return LENGTH_BYTES_MAX + CHARACTER_BYTES_MAX * text.length;
}
