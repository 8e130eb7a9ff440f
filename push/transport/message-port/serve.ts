// The transport's side of the message port: runs in its own thread, calls the transport and posts what it reports.
import type { MessagePort } from 'node:worker_threads';
import { limits } from '../../../schemas/limits.ts';
import { openTransport } from '../open-transport.ts';
import { transportLimits } from '../options.ts';
import type { Transport, TransportEvents, TransportStats } from '../transport.ts';
import { loadUws } from '../uws-native.ts';
import {
  type FromTransport,
  type PackedCall,
  postedError,
  type ThreadEvent,
  type ThreadOptions,
  type ToTransport,
  unpack,
  unpackPublished,
} from './messages.ts';

const TRY_LATER = 1013;

/** Events of a turn, posted together. */
class EventPost {
  readonly #port: MessagePort;
  #events: ThreadEvent[] = [];
  #doneBytes = 0;
  #isScheduled = false;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  add(event: ThreadEvent): void {
    this.#events.push(event);
    this.#schedule();
  }

  done(bytes: number): void {
    this.#doneBytes += bytes;
    this.#schedule();
  }

  readonly flush = (): void => {
    this.#isScheduled = false;
    if (this.#events.length === 0 && this.#doneBytes === 0) return;
    this.#port.postMessage({ type: 'events', events: this.#events, doneBytes: this.#doneBytes } satisfies FromTransport);
    this.#events = [];
    this.#doneBytes = 0;
  };

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.flush);
  }
}

/** Serves until the other side closes the transport, or it fails. `onNative` gets what must be called before the thread ends for any other reason. */
export async function serveTransport(port: MessagePort, options: ThreadOptions, onNative: (abandon: () => void) => void): Promise<void> {
  const say = (message: FromTransport): void => port.postMessage(message);
  const post = new EventPost(port);
  let transport: Transport | null = null;
  let unheardBytes = 0;
  let refusedMessages = 0;
  const events: TransportEvents = {
    opening: (opening) => post.add({ type: 'opening', opening }),
    message(socket, text) {
      // The hub stands still: what its clients say is not collected for ever.
      if (unheardBytes > limits.pushThreadBytesMax) {
        refusedMessages++;
        transport?.end(socket, TRY_LATER, 'the service is busy');
        return;
      }
      unheardBytes += text.length;
      post.add({ type: 'message', socket, text });
    },
    behind: (socket) => post.add({ type: 'behind', socket }),
    drained: (socket) => post.add({ type: 'drained', socket }),
    closed: (socket, code) => post.add({ type: 'closed', socket, code }),
  };
  try {
    // Loading takes long, listening does not.
    if (options.prefer === 'uws') loadUws();
    const listen = new Promise<void>((resolve) => {
      port.once('message', () => resolve());
    });
    say({ type: 'loaded' });
    await listen;
    const opened = await openTransport(options, events);
    if (opened.abandon !== null) onNative(opened.abandon);
    const running = opened.transport;
    transport = running;
    const stats = (): TransportStats => {
      const seen = running.stats();
      return refusedMessages === 0 ? seen : { ...seen, ended: { ...seen.ended, [TRY_LATER]: refusedMessages } };
    };
    const closing = new Promise<void>((resolve) => {
      port.on('message', (message: ToTransport) => {
        if (message.type === 'close') resolve();
        else if (message.type === 'calls') {
          unheardBytes -= message.heardBytes;
          for (const call of message.calls) perform(running, call, message.buffer);
          post.done(message.bytes);
        }
      });
    });
    say({
      type: 'opened',
      isNative: opened.abandon !== null,
      name: running.name,
      port: running.port,
      reason: opened.reason,
      stats: stats(),
    });
    const timer = setInterval(() => say({ type: 'stats', stats: stats() }), transportLimits(options).sweepMs);
    await closing;
    await running.close();
    clearInterval(timer);
    post.flush();
    say({ type: 'stats', stats: stats() });
    say({ type: 'closed' });
  } catch (error) {
    say({ type: 'failed', error: postedError(error) });
  }
  port.close();
}

function perform(transport: Transport, call: PackedCall, buffer: ArrayBuffer): void {
  switch (call.type) {
    case 'accept':
      transport.accept(call.socket, call.protocol);
      break;
    case 'refuse':
      transport.refuse(call.socket, call.refusal);
      break;
    case 'respond':
      transport.respond(call.socket, call.headers, unpack(call.frame, buffer).bytes);
      break;
    case 'join':
      transport.join(call.socket, call.channel);
      break;
    case 'leave':
      transport.leave(call.socket, call.channel);
      break;
    case 'send':
      transport.send(call.socket, unpack(call.frame, buffer));
      break;
    case 'drain':
      transport.drain(call.socket);
      break;
    case 'publish':
      transport.publish(unpackPublished(call, buffer));
      break;
    case 'end':
      transport.end(call.socket, call.code, call.reason);
  }
}
