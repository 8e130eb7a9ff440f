// Simulated traffic as several receivers hear it, with signal levels that vary and duplicates that are late: what changes a state without an emission.
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { PACKED_FRAME_BYTES, packFrame, type ReceivedFrame, viewOf } from '../../schemas/packed-frame.ts';

export const VARIED_START_US = 1_700_000_000_000_000;

/** A record each 200 ms, all in one partition. */
export function variedTraffic(aircraft: number, seconds: number): FrameBatch[] {
  const startUs = VARIED_START_US;
  const traffic = createTraffic({ aircraft, seed: 3, startUs, airports: 3, extraReceptionShare: 0.6 });
  const out: FrameBatch[] = [];
  for (let atUs = startUs; atUs < startUs + 1e6 * seconds; atUs += 200_000) {
    const frames: ReceivedFrame[] = [];
    traffic.advance(atUs + 200_000, (frame) => {
      const bytes = frame.bytes.slice(frame.at, frame.at + frame.byteLength);
      // Duplicates arrive up to 300 ms later, and each receiver has its own level.
      const timeUs = frame.timeUs + 150_000 * (frame.receiver % 3);
      const signal = 40 + ((frames.length * 7 + 60 * frame.receiver) % 200);
      frames.push({ ...frame, timeUs, signal, bytes, at: 0, view: viewOf(bytes) });
    });
    const baseTimeUs = Math.min(...frames.map(({ timeUs }) => timeUs));
    const packed = new Uint8Array(frames.length * PACKED_FRAME_BYTES);
    for (const [i, frame] of frames.entries()) packFrame(viewOf(packed), i * PACKED_FRAME_BYTES, baseTimeUs, frame);
    out.push({ baseTimeUs, receivers: ['a', 'b', 'c'].map((digit) => digit.repeat(16)), count: frames.length, frames: packed });
  }
  return out;
}
