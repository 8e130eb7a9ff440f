// The target of a stream of WatchAircraft, as a filter of the push hub: one aircraft, or the aircraft in a box.
import { everything, type Filter } from '../../../push/hub/filter.ts';
import type { WatchAircraftRequest } from '../../../schemas/proto/v1/aircraft_pb.ts';
import { missing } from '../../queries/errors.ts';
import { boxOf, parseHex } from '../../queries/selections.ts';
import { inRange, required } from '../operations.ts';
import { recordFields } from '../record-fields.ts';

/** Members of `/v2` with the values of a record: a change of others is not sent. */
const members = recordFields.map(({ member }) => member).filter((member) => !['hex', 'seen', 'dst'].includes(member));

/** Errors: `api.missing_parameter`, `api.bad_value`. */
export function watchFilter({ target }: Pick<WatchAircraftRequest, 'target'>): Filter {
  if (target.case === 'hex') return { ...everything, members, hexes: [parseHex(target.value)] };
  if (target.case !== 'box') throw missing(['hex or box']);
  const { minLat, minLon, maxLat, maxLon } = target.value;
  const { min_lat, min_lon, max_lat, max_lon } = required({ min_lat: minLat, min_lon: minLon, max_lat: maxLat, max_lon: maxLon });
  inRange('min_lat', min_lat, -90, 90);
  inRange('max_lat', max_lat, -90, 90);
  inRange('min_lon', min_lon, -180, 180);
  inRange('max_lon', max_lon, -180, 180);
  return { ...everything, members, box: boxOf(min_lat, min_lon, max_lat, max_lon) };
}
