// A transport that only records, for tests of the hub.
import type { Frame, FrameForChannel, Refusal, SocketId, Transport, TransportStats } from '../../push/transport/transport.ts';

/** Delivers in the order of its calls, as a real transport does. */
export class RecordingTransport implements Transport {
  readonly name = 'recording';
  /** Its hub. */
  onDrained: (socket: SocketId) => void = () => {};
  readonly port = 0;
  readonly protocols = new Map<SocketId, string | null>();
  readonly refusals = new Map<SocketId, Refusal>();
  readonly responses = new Map<SocketId, { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array }>();
  readonly texts = new Map<SocketId, string[]>();
  readonly binaries: Uint8Array[] = [];
  /** All frames, in order. */
  readonly frames = new Map<SocketId, Frame[]>();
  readonly ends = new Map<SocketId, [code: number, reason: string]>();
  private readonly channels = new Map<SocketId, Set<number>>();

  accept(socket: SocketId, protocol: string | null): void {
    this.protocols.set(socket, protocol);
    this.texts.set(socket, []);
    this.frames.set(socket, []);
    this.channels.set(socket, new Set());
  }
  refuse(socket: SocketId, refusal: Refusal): void {
    this.refusals.set(socket, refusal);
  }
  respond(socket: SocketId, headers: Readonly<Record<string, string>>, body: Uint8Array): void {
    this.responses.set(socket, { headers, body });
  }
  join(socket: SocketId, channel: number): void {
    this.channels.get(socket)!.add(channel);
  }
  leave(socket: SocketId, channel: number): void {
    this.channels.get(socket)!.delete(channel);
  }
  send(socket: SocketId, frame: Frame): void {
    const { bytes, isBinary } = frame;
    this.frames.get(socket)!.push(frame);
    if (isBinary) this.binaries.push(bytes);
    else this.texts.get(socket)!.push(Buffer.from(bytes).toString());
  }
  drain(socket: SocketId): void {
    queueMicrotask(() => this.onDrained(socket));
  }
  async publish(frames: readonly FrameForChannel[]): Promise<void> {
    for (const frame of frames) for (const [socket, channels] of this.channels) if (channels.has(frame.channel)) this.send(socket, frame);
  }
  end(socket: SocketId, code: number, reason: string): void {
    this.ends.set(socket, [code, reason]);
  }
  sentBytes(socket: SocketId): number {
    return this.frames.get(socket)?.reduce((sum, { bytes }) => sum + bytes.length, 0) ?? 0;
  }
  stats(): TransportStats {
    return { sockets: 0, queuedBytes: 0, openings: 0, framesSent: 0, bytesSent: 0, framesSkipped: 0, ended: {}, refused: {} };
  }
  async close(): Promise<void> {}

  /** The transport takes a slow socket out of its channels. */
  fallBehind(socket: SocketId): void {
    this.channels.get(socket)!.clear();
  }
}
