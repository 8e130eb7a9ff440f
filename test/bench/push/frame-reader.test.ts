// The readers of the push benchmarks count what the server sends: messages in fragments, of any length, cut anywhere.
import { expect, test } from 'vitest';
import { FrameReader } from './frame-reader.ts';

function frame(first: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head =
    length < 126
      ? [length]
      : length < 65_536
        ? [126, length >> 8, length & 0xff]
        : [127, 0, 0, 0, 0, 0, length >> 16, (length >> 8) & 0xff, length & 0xff];
  return Buffer.concat([Buffer.from([first, ...head]), payload]);
}

test('finds the deltas of a stream, however it is cut', () => {
  const delta = (seq: number, bytes: number): Buffer => Buffer.from(`{"type":"delta","seq":${seq},"x":"${'x'.repeat(bytes)}"}`);
  const binary = Buffer.alloc(40);
  binary[2] = 1;
  binary.writeUInt32LE(77, 4);
  const large = delta(3, 150_000);
  const stream = Buffer.concat([
    Buffer.from('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n'),
    frame(0x81, Buffer.from('{"type":"full","seq":1,"ac":[]}')),
    frame(0x81, delta(2, 10)),
    frame(0x89, Buffer.alloc(0)),
    frame(0x01, large.subarray(0, 20)),
    frame(0x89, Buffer.from('a ping')),
    frame(0x80, large.subarray(20)),
    frame(0x82, binary),
    frame(0x88, Buffer.concat([Buffer.from([0x11, 0x38]), Buffer.from('slow')])),
  ]);
  for (const step of [1, 7, 1000, stream.length]) {
    const seen: unknown[] = [];
    const reader = new FrameReader({
      opened: (status) => seen.push(status),
      message: (seq) => seen.push(seq),
      ping: () => seen.push('ping'),
      closed: (code, reason) => seen.push(code, reason),
    });
    for (let at = 0; at < stream.length; at += step) reader.take(stream.subarray(at), Math.min(step, stream.length - at));
    expect(seen).toEqual([101, -1, 2, 'ping', 'ping', 3, 77, 4408, 'slow']);
    expect(reader.bytes).toBe(stream.length);
  }
});
