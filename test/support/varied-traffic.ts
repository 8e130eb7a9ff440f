// Simulated traffic as several receivers hear it, with signal levels that vary and duplicates that are late: what changes a state without an emission.
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { frameBatch, type RecordedFrame } from '../golden/fold-frames.ts';

export const VARIED_START_US = 1_700_000_000_000_000;

/** A record each 200 ms, all in one partition. */
export function variedTraffic(aircraft: number, seconds: number): FrameBatch[] {
  const startUs = VARIED_START_US;
  const traffic = createTraffic({ aircraft, seed: 3, startUs, airports: 3, extraReceptionShare: 0.6 });
  const out: FrameBatch[] = [];
  for (let atUs = startUs; atUs < startUs + 1e6 * seconds; atUs += 200_000) {
    const frames: RecordedFrame[] = [];
    traffic.advance(atUs + 200_000, (frame) => {
      // Duplicates arrive up to 300 ms later, and each receiver has its own level.
      const receiver = frame.receiver % 3;
      frames.push({
        timeUs: frame.timeUs + 150_000 * receiver,
        bytes: frame.bytes.slice(frame.at, frame.at + frame.byteLength),
        signal: 40 + ((frames.length * 7 + 60 * frame.receiver) % 200),
        flags: frame.flags,
        receiver: 'abc'.charAt(receiver).repeat(16),
      });
    });
    out.push(frameBatch(frames));
  }
  return out;
}
