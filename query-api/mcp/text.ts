// Results as text for people: one line for each aircraft.

type TextName = 'flight' | 'registration' | 'aircraft_type' | 'squawk' | 'emergency' | 'category' | 'route_origin' | 'route_destination';
type NumberName = 'lat' | 'lon' | 'alt_baro' | 'alt_geom' | 'ground_speed' | 'track' | 'seen_seconds' | 'distance_nm';

/** A record as an object: the fields of the table that are present. */
export interface AircraftRecord extends Readonly<Partial<Record<TextName, string> & Record<NumberName, number>>> {
  readonly hex: string;
  readonly on_ground?: boolean;
}

/** `KLM641 (4840d6, PH-BHA, B789): 35,000 ft, 452 kt, track 271 degrees, at 52.3086, 4.7639, route AMS to JFK, squawk 1000, last heard 0.3 s before the snapshot`. */
export function aircraftText(record: AircraftRecord): string {
  const { hex, flight = '', registration, aircraft_type, lat, lon } = record;
  const { ground_speed, track, squawk, emergency, seen_seconds, distance_nm } = record;
  const callsign = flight.trim();
  const names = [hex, registration, aircraft_type].filter((name) => name !== undefined);
  const head = callsign === '' ? names.join(', ') : `${callsign} (${names.join(', ')})`;
  const parts = [
    emergency === undefined || emergency === 'none' ? undefined : `emergency: ${emergency}`,
    distance_nm === undefined ? undefined : `${distance_nm.toFixed(1)} nm away`,
    altitudeText(record),
    ground_speed === undefined ? undefined : `${Math.round(ground_speed)} kt`,
    track === undefined ? undefined : `track ${Math.round(track) % 360} degrees`,
    lat === undefined || lon === undefined ? 'position unknown' : `at ${lat.toFixed(4)}, ${lon.toFixed(4)}`,
    routeText(record),
    squawk === undefined ? undefined : `squawk ${squawk}`,
    seen_seconds === undefined ? undefined : `last heard ${seen_seconds.toFixed(1)} s before the snapshot`,
  ];
  return `${head}: ${parts.filter((part) => part !== undefined).join(', ')}`;
}

/** How many there are, then the nearest, one on each line. */
export function nearbyText(records: readonly AircraftRecord[], total: number): string {
  if (total === 0) return 'No receiver hears an aircraft within the radius.';
  const head = total === 1 ? '1 aircraft within the radius' : `${whole(total)} aircraft within the radius`;
  const cut = records.length < total ? `, the nearest ${records.length}` : '';
  return [`${head}${cut}:`, ...records.map((record) => `- ${aircraftText(record)}`)].join('\n');
}

/** The number of aircraft and the time of the data. */
export function statsText({
  aircraft_total,
  source_time,
  served_at,
}: Readonly<Record<'aircraft_total' | 'source_time' | 'served_at', number>>): string {
  const time = new Date(source_time * 1000).toISOString().replace('T', ' ').slice(0, 19);
  const age = Math.max(0, served_at - source_time).toFixed(1);
  return `${whole(aircraft_total)} aircraft are heard. The data are of ${time} UTC, ${age} s before this response.`;
}

function altitudeText({ on_ground, alt_baro, alt_geom }: AircraftRecord): string | undefined {
  if (on_ground === true) return 'on the ground';
  if (alt_baro !== undefined) return `${whole(alt_baro)} ft`;
  return alt_geom === undefined ? undefined : `${whole(alt_geom)} ft (geometric)`;
}

function routeText({ route_origin, route_destination }: AircraftRecord): string | undefined {
  if (route_origin === undefined && route_destination === undefined) return undefined;
  if (route_origin === undefined) return `route to ${route_destination}`;
  return route_destination === undefined ? `route from ${route_origin}` : `route ${route_origin} to ${route_destination}`;
}

/** 35000 becomes 35,000. */
function whole(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}
