// The transport port: sockets of subscribers and server-sent event streams. It knows channels and bytes; it does not know aircraft, filters or callers.
// One contract suite, `transport.contract.ts`, runs against every adapter.
import type { ListenAddress } from '../../pipeline/runtime/listening.ts';
import type { limits } from '../../schemas/limits/index.ts';

/** Limits of a transport. Tests of slow clients set smaller ones. */
export type TransportLimits = Readonly<Record<keyof typeof limits, number>>;

export interface TransportOptions extends ListenAddress {
  /** Sockets at a time; further openings get a 503 response. */
  readonly socketsMax: number;
  /** Secret of the HTTP port, which hands connections over and reports their addresses. Null without one. */
  readonly hop: string | null;
  readonly limits?: Partial<TransportLimits>;
}

/** Number of a socket; unique while the process lives. */
export type SocketId = number;

/** Number of a channel: its members get every frame that is published to it. */
export type ChannelId = number;

/** A connection that asks for its response: `accept`, `refuse`, or for events `respond`. */
export interface Opening {
  readonly socket: SocketId;
  /** `events`: a stream of server-sent events, GET without an upgrade. */
  readonly kind: 'websocket' | 'events';
  /** IP address of the client. */
  readonly address: string;
  /** Path and query as sent; at most `limits.urlBytesMax`. */
  readonly url: string;
  /** By lower-case name; at most `limits.headerBytesMax`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Subprotocols that the client offers, in its order. */
  readonly protocols: readonly string[];
}

/** A message of the stream: for WebSocket one text or binary message, for events bytes of the body. Shared by all its receivers: never changed after it is handed over. */
export interface Frame {
  readonly bytes: Uint8Array;
  readonly isBinary: boolean;
}

export interface FrameForChannel extends Frame {
  readonly channel: ChannelId;
}

/** An HTTP response instead of a stream. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Reports of a transport, in the order in which it happens. */
export interface TransportEvents {
  opening(opening: Opening): void;
  /** A text message of at most `limits.pushMessageBytesMax`. Others end the socket: 1003 for binary, 1009 for a longer one, 1008 for too many in a second. */
  message(socket: SocketId, text: string): void;
  /** A frame was not sent, because more than the socket's budget is queued. The socket has left its channels. */
  behind(socket: SocketId): void;
  /** A socket that was behind, or for which `drain` was called, has sent all that was queued. */
  drained(socket: SocketId): void;
  /**
   * The socket is gone, for whatever reason; also after `end`, `refuse` and `respond`, and for an opening whose client left. The last event of a socket, and the only
   * one after `end`. The code is that of `end`, of the transport's own close, or of the client's close frame; 1006 without any.
   */
  closed(socket: SocketId, code: number): void;
}

/** Since the start, unless stated otherwise. */
export interface TransportStats {
  /** Open now. */
  readonly sockets: number;
  /** Bytes queued in this process now. Shared bytes count once per socket. */
  readonly queuedBytes: number;
  readonly openings: number;
  readonly framesSent: number;
  readonly bytesSent: number;
  /** Frames not sent because a socket was behind. */
  readonly framesSkipped: number;
  /** Sockets ended by the transport itself, by close code; 1006 for those that no longer respond to pings. */
  readonly ended: Readonly<Record<number, number>>;
  /** Requests refused by the transport itself, by HTTP status; 0 for connections that were closed without a response. */
  readonly refused: Readonly<Record<number, number>>;
}

/** A call for a socket that is gone does nothing: its `closed` may be under way. */
export interface Transport {
  /** Product and version, for the start line. */
  readonly name: string;
  readonly port: number;
  /** Opens the stream. `protocol` is one of the offered subprotocols, or null. */
  accept(socket: SocketId, protocol: string | null): void;
  refuse(socket: SocketId, refusal: Refusal): void;
  /** A body with status 200 instead of events. The connection ends after it, or when the client takes none of it for `limits.pushBehindMsMax`. */
  respond(socket: SocketId, headers: Readonly<Record<string, string>>, body: Uint8Array): void;
  join(socket: SocketId, channel: ChannelId): void;
  leave(socket: SocketId, channel: ChannelId): void;
  /** To one socket, also over its budget: the budget then counts from the end of these bytes. */
  send(socket: SocketId, frame: Frame): void;
  /** Reports `drained` when all that is queued is sent, which may be at once. */
  drain(socket: SocketId): void;
  /** To the members of each frame's channel, in turns of `limits.pushTurnMsMax`. No socket may join a channel before it resolves. */
  publish(frames: readonly FrameForChannel[]): Promise<void>;
  /** Closes with a code and a reason after what is queued, or without it if that takes longer than `limits.halfClosedMsMax`. Events end without code and reason. */
  end(socket: SocketId, code: number, reason: string): void;
  /** Bytes of frames that a socket took; also in its event `closed`. */
  sentBytes(socket: SocketId): number;
  stats(): TransportStats;
  /** Stops listening, closes all sockets with 1001, and ends those that do not respond within `limits.clientsStopMsMax`. A second call waits for the first. */
  close(): Promise<void>;
}
