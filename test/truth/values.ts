// When a value of ours equals the reference, and how the names of the truth files map to those of `squitter decode`. The rules and
// tolerances are those of ../shared/check.
import { emergencyNames } from '../../schemas/avro/aircraft-state.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Differences among the reference decoders; all other fields are exact. */
const NEAR: Fields & Readonly<Record<string, number>> = {
  lat: 1e-5,
  lon: 1e-5,
  gs: 1,
  rc: 1.5,
  nav_qnh: 0.06,
  mach: 0.0006,
  roll: 0.06,
  track_rate: 0.06,
  seen: 0.1,
  seen_pos: 0.1,
  wd: 3,
  ws: 3,
  oat: 1,
  tat: 1,
};
/** Degrees around the circle. */
const NEAR_ANGLE: Readonly<Record<string, number>> = { track: 0.25, nav_heading: 0.25, mag_heading: 0.25, true_heading: 1 };

/** True when our value is the reference's. Strings ignore case and trailing blanks, lists ignore order. */
export function isSame(field: string, ours: unknown, truth: unknown): boolean {
  if (ours === undefined || ours === null) return false;
  const angle = NEAR_ANGLE[field];
  const apart = Math.abs(Number(ours) - Number(truth));
  if (angle !== undefined) return Math.min(apart % 360, 360 - (apart % 360)) <= angle;
  const near = NEAR[field];
  if (near !== undefined) return apart <= near;
  if (Array.isArray(truth)) return Array.isArray(ours) && [...ours].sort().join() === [...truth].sort().join();
  if (typeof truth === 'string') return String(ours).trimEnd().toLowerCase() === truth.trimEnd().toLowerCase();
  return ours === truth;
}

const RENAMED: Readonly<Record<string, string>> = { addr: 'hex', callsign: 'flight', gs50: 'gs', surf_gs: 'gs', bds_track: 'track' };

/** The agreed values of a truth row, with the names of `squitter decode`. */
export function expectedFields(agreed: Fields): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(agreed)) {
    const { tc, vr_src: source } = agreed;
    // Contained in the fields that they qualify.
    if (name === 'vr_src' || name === 'airspeed') continue;
    // A rate whose source is disputed among the decoders is not compared.
    if (name === 'vert_rate') Object.assign(out, source && { [source === 'GNSS' ? 'geom_rate' : 'baro_rate']: value });
    else if (name === 'category') Object.assign(out, typeof tc === 'number' && { category: `${'DCBA'[tc - 1]}${String(value)}` });
    else if (name === 'emergency_code') out['emergency'] = emergencyNames[value as number];
    else if (name === 'sil_per_sample') out['sil_type'] = value ? 'persample' : 'perhour';
    else out[RENAMED[name] ?? name] = value;
  }
  return out;
}
