// Points of a track as JSON objects. Unknown values are absent, as everywhere.
import { MICRODEG_PER_DEG } from '../../../pipeline/geo/earth.ts';
import {
  ALTITUDE,
  GEOMETRIC,
  LATITUDE,
  LEG,
  LONGITUDE,
  ON_GROUND,
  type Points,
  RATE,
  SIGNAL,
  SOURCE,
  SPEED,
  STALE,
  TRACK,
} from '../../../pipeline/tracks/points.ts';
import { ABSENT } from '../../../schemas/absent.ts';
import { sourceKinds } from '../../../schemas/avro/aircraft-state.ts';
import { nativeType } from '../../../schemas/native-members.ts';

export const DECI = 10;
export const CENTI = 100;
const MS_PER_S = 1000;

/** `"type":…` by source; empty where none of the four applies. */
const typeMembers = sourceKinds.map((kind) => {
  const type = nativeType(kind);
  return type === undefined ? '' : `,"type":"${type}"`;
});

/** The points with these numbers, commas between them. */
export function pointsText(points: Points, numbers: Int32Array): string {
  let text = '';
  for (let n = 0; n < numbers.length; n += 1) text += `${n === 0 ? '' : ','}${pointText(points, numbers[n]!)}`;
  return text;
}

function pointText(points: Points, i: number): string {
  const lat = points.get(i, LATITUDE) / MICRODEG_PER_DEG;
  const lon = points.get(i, LONGITUDE) / MICRODEG_PER_DEG;
  const altitude = points.hasFlag(i, ON_GROUND) ? ',"alt_baro":"ground"' : member('alt_baro', points.get(i, ALTITUDE), 1);
  const flags = `,"stale":${points.hasFlag(i, STALE)},"leg":${points.hasFlag(i, LEG)}`;
  return `{"time":${points.timeMs[i]! / MS_PER_S},"lat":${lat},"lon":${lon}${altitude}${member('alt_geom', points.get(i, GEOMETRIC), 1)}${member('gs', points.get(i, SPEED), DECI)}${member('track', points.get(i, TRACK), CENTI)}${member('baro_rate', points.get(i, RATE), 1)}${member('rssi', points.get(i, SIGNAL), DECI)}${typeMembers[points.get(i, SOURCE)] ?? ''}${flags}}`;
}

/** A member with a comma before it; empty where it is unknown. */
export function member(name: string, value: number, scale: number): string {
  return value === ABSENT ? '' : `,"${name}":${value / scale}`;
}
