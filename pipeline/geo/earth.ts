// The Earth as a sphere, and the units of angle and length that the field uses. Every other file takes them from here.

/** Radius of the sphere that distances are measured on: the mean Earth radius (IUGG R1, rounded), as readsb has it. */
export const EARTH_RADIUS_M = 6_371_000;
/** International nautical mile. */
export const M_PER_NM = 1852;
export const EARTH_RADIUS_NM = EARTH_RADIUS_M / M_PER_NM;
/** Knots in m/s. */
export const MPS_PER_KT = M_PER_NM / 3600;
export const RADIANS_PER_DEGREE = 0.017453292519943295;
export const DEGREES_PER_RADIAN = 57.29577951308232;
export const MICRODEG_PER_DEG = 1_000_000;
