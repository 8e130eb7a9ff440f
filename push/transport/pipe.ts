// The calls of an adapter for one connection. Queues, budgets and time limits are in the socket table, the same for every adapter.
import type { Frame, Refusal } from './transport.ts';

/** A frame on its way. All its receivers share this object. */
export interface Outgoing extends Frame {
  /** The message as bytes of the wire, if the adapter makes them itself. */
  wire: readonly Uint8Array[] | null;
}

export interface BodyHead {
  readonly headers: Readonly<Record<string, string>>;
  readonly length: number;
}

export interface Pipe {
  /** Set before the hub hears of the connection. */
  table: PipeEvents | null;
  /** Opens the stream; of an event stream with `body`, a body of this head and length instead. */
  accept(protocol: string | null, body: BodyHead | null): void;
  refuse(refusal: Refusal): void;
  /** Takes bytes of a frame from an offset on. Returns the offset of the rest, which is asked for again after `writable`; negative while there is no room. */
  write(outgoing: Outgoing, offset: number): number;
  /** Bytes taken that the kernel does not have yet. */
  buffered(): number;
  /** Sends a ping; on an event stream a comment, unless frames are under way. Returns whether the client is to respond. */
  ping(): boolean;
  /** Closes politely. */
  close(code: number, reason: string): void;
  /** Ends the connection at once. */
  destroy(): void;
}

/** Reports of a pipe to the socket table. */
export interface PipeEvents {
  /** Called when there is room again, or everything is written. */
  writable(): void;
  /** Any message, ping or pong. The text is null without a text message. */
  received(text: string | null): void;
  /** The client sent what is not allowed, and the socket is to be closed. */
  violated(code: number, reason: string): void;
  /** Like `violated`, and the close frame is sent already. */
  closing(code: number): void;
  /** The connection is gone. The code of the client's close frame, or 1006. */
  gone(code: number): void;
}
