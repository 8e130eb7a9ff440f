// A point of a track as a JSON schema: the fields of a readsb trace point, as an object.
import { flag, number, object } from './build.ts';

export const trackPointSchema = object(
  {
    time: number('Unix s, UTC, 3 decimals'),
    lat: { type: 'number', minimum: -90, maximum: 90, description: 'degrees WGS 84' },
    lon: { type: 'number', minimum: -180, maximum: 180, description: 'degrees WGS 84' },
    alt_baro: {
      oneOf: [{ type: 'integer' }, { type: 'string', enum: ['ground'] }],
      description: 'pressure altitude at 1013.25 hPa in ft, or `ground`',
    },
    alt_geom: { type: 'integer', description: 'altitude above the WGS 84 ellipsoid, ft' },
    gs: { type: 'number', minimum: 0, description: 'ground speed, kt' },
    track: { type: 'number', minimum: 0, maximum: 360, description: 'track over ground, degrees true' },
    baro_rate: { type: 'integer', description: 'vertical rate of the pressure altitude, ft/min' },
    rssi: {
      type: 'number',
      maximum: 0,
      description: 'mean signal level of the last messages, dBFS, in steps of 0.5 while it comes from the memory',
    },
    type: {
      type: 'string',
      enum: ['adsb_icao', 'adsr', 'tisb', 'mlat'],
      description: 'kind of source; absent where none of the four applies',
    },
    stale: flag('nothing was heard for more than 20 s before this position'),
    leg: flag('a leg starts here: a take-off, or the first position after 10 minutes without any, below 10,000 ft before or after them'),
  },
  ['time', 'lat', 'lon', 'stale', 'leg'],
);
