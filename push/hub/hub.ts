// The hub: connections to streams. It finds the caller of each connection, subscribes it, answers its messages and publishes each tick.
import type { Logger } from 'pino';
import { after } from '../../pipeline/runtime/waiting.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import type { Admission, CallerAccess, Lease } from '../../query-api/access/access.ts';
import type { Caller } from '../../query-api/access/caller.ts';
import { QueryError } from '../../query-api/queries/errors.ts';
import { freshSnapshot } from '../../query-api/queries/freshness.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import { errorKinds, SquitterError, stableCode } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { Pace, Tier } from '../../schemas/tiers.ts';
import { COMMON_HEADERS } from '../transport/request.ts';
import type { Opening, Refusal, SocketId, Transport, TransportEvents } from '../transport/transport.ts';
import { type CallersOptions, checkCaller, leaveCaller } from './callers.ts';
import { channelFrames } from './channel-frames.ts';
import { type Encoding, kindOf, protocolOf } from './encodings.ts';
import { type Filter, parseFilter } from './filter.ts';
import { type ClientMessage, helloOf, movedTo, pacedTo, parseMessage, unixS } from './messages.ts';
import { PagePace } from './page-pace.ts';
import { type Request, readRequest } from './request.ts';
import { frameOf, type TopicDelta } from './resume-frames.ts';
import { ServiceClass } from './service-class.ts';
import { type Stream, Subscriber } from './subscriber.ts';
import { channelOf, type Topic } from './topic.ts';
import { Turns } from './turns.ts';

export interface HubOptions {
  readonly model: ReadModel;
  readonly access: CallerAccess;
  /** Interval of the normal class. */
  readonly tickMs: number;
  /** Interval of the class of pages while their bytes fit. */
  readonly pageTickMs: number;
  /** Bytes a second of deltas to all pages together; beyond those they are sent frames less often. */
  readonly pageEgress: number;
  /** Distinguishes this process from others, and from itself before a restart. */
  readonly epoch: string;
  readonly logger: Logger;
  /** The HTTP response for an error; the URL is without its query, which may contain secrets. */
  readonly refusal: (error: SquitterError, path: string) => Refusal;
}

/** How often the hub looks whether heartbeats are due although no snapshot came. */
const LATE_CHECK_MS = 500;

const snapshotHeaders = {
  'content-type': 'application/octet-stream',
  'cache-control': 'no-store',
  ...COMMON_HEADERS,
};

export class Hub implements TransportEvents {
  readonly classes: Readonly<Record<Pace, ServiceClass>>;
  /** Connections refused, and subscriptions refused, by code of the error. */
  readonly refused = new Map<string, number>();
  private readonly options: HubOptions;
  private readonly subscribers = new Map<SocketId, Subscriber>();
  /** Openings that nothing is decided about yet. */
  private readonly openings = new Set<SocketId>();
  private readonly callers: CallersOptions;
  private transport: Transport | null = null;
  private readonly turns: Turns;
  private topics = 0;
  private readonly pagePace: PagePace;
  private readonly stopListening: () => void;
  private readonly lateCheck: NodeJS.Timeout;

  constructor(options: HubOptions) {
    this.options = options;
    const { model, tickMs, pageTickMs } = options;
    this.pagePace = new PagePace(pageTickMs, options.pageEgress);
    this.turns = new Turns(model.steadyMs);
    const { flights, steadyMs } = model;
    const serviceClass = (name: string, intervalMs: number, onTicked = (_: number): void => {}): ServiceClass =>
      new ServiceClass({
        ...{ intervalMs, flights, steadyMs, onTicked },
        nextTopicId: () => (this.topics += 1),
        streamPrefix: `${options.epoch}${name}`,
        onDeltas: (deltas) => this.publish(deltas),
      });
    this.classes = {
      page: serviceClass('p', pageTickMs, (bytes) => this.pacePages(bytes)),
      normal: serviceClass('n', tickMs),
      slow: serviceClass('s', Math.max(tickMs, limits.pushSlowTickMs)),
    };
    this.stopListening = model.view.onSnapshot((snapshot) => {
      for (const one of Object.values(this.classes)) one.onSnapshot(snapshot);
    });
    this.lateCheck = setInterval(() => this.beat(), LATE_CHECK_MS).unref();
    this.callers = {
      access: options.access,
      sentBytes: (socket) => this.transport!.sentBytes(socket),
      sendControl: (socket, message) => this.sendControl(socket, message),
      fail: (subscriber, error) => this.fail(subscriber, error),
      move: (subscriber, tier, pace) => this.move(subscriber, tier, pace),
    };
  }

  /** The transport whose events this hub takes. */
  attach(transport: Transport): void {
    this.transport = transport;
  }

  /** Connections by encoding. */
  counts(): Readonly<Record<Encoding, number>> {
    const counts = { plain: 0, named: 0, events: 0, binary: 0 };
    for (const { encoding } of this.subscribers.values()) counts[encoding] += 1;
    return counts;
  }

  /** Takes what open sockets were sent from their callers' day, and looks whether these may have them. Runs twice a second; tests call it directly. */
  checkCallers(): void {
    for (const subscriber of this.subscribers.values()) checkCaller(this.callers, subscriber);
  }

  /** Stops ticking. Close the transport first. */
  close(): void {
    clearInterval(this.lateCheck);
    this.stopListening();
    for (const one of Object.values(this.classes)) void one.settled().then(() => one.release());
  }

  opening(opening: Opening): void {
    const { socket } = opening;
    this.openings.add(socket);
    try {
      const entered = this.enter(opening, readRequest(opening, this.options.model));
      if (entered instanceof Promise) entered.catch((error) => this.refuse(opening, error));
    } catch (error) {
      this.refuse(opening, error);
    }
  }

  /** Finds the caller, and gives it what it asks for. */
  private enter(opening: Opening, request: Request): void | Promise<void> {
    const { access, model } = this.options;
    return after(access.identify(opening.address, request.headers, opening.url), (caller) => {
      freshSnapshot(model);
      if (request.isSnapshot)
        return after(access.admit(caller, 'turn'), (admission) => this.sendSnapshot(opening, caller, admission, request.filters[0]!));
      return after(access.open(caller), (lease) => this.accept(opening.socket, lease, request));
    });
  }

  private accept(socket: SocketId, lease: Lease, request: Request): void {
    // The client may be gone by now.
    if (!this.openings.delete(socket)) {
      lease.close();
      return;
    }
    const pace = this.options.access.pace(lease.caller, lease.caller.tier);
    const subscriber = new Subscriber(socket, lease, pace, this.classes[pace], request.encoding);
    this.subscribers.set(socket, subscriber);
    this.transport!.accept(socket, protocolOf(request.encoding));
    this.begin(subscriber, request);
  }

  private refuse({ socket, url }: Opening, error: unknown): void {
    this.openings.delete(socket);
    this.transport!.refuse(socket, this.options.refusal(this.count(error), url.split('?')[0]!));
  }

  message(socket: SocketId, text: string): void {
    const subscriber = this.subscribers.get(socket);
    // The default profile has no messages: they are ignored, as keep-alive texts of clients.
    if (subscriber === undefined || !subscriber.hasControl) return;
    this.enqueue(subscriber, () => this.handle(subscriber, parseMessage(text)));
  }

  behind(socket: SocketId): void {
    const subscriber = this.subscribers.get(socket);
    if (subscriber === undefined) return;
    subscriber.isBehind = true;
    if (subscriber.hasControl)
      this.sendControl(socket, {
        type: 'status',
        code: 'behind',
        detail: 'frames were skipped, because the client reads too slowly; a full follows',
      });
  }

  drained(socket: SocketId): void {
    const subscriber = this.subscribers.get(socket);
    if (subscriber === undefined) return;
    this.enqueue(subscriber, () => {
      const { isBehind, wanted } = subscriber;
      [subscriber.isBehind, subscriber.wanted] = [false, null];
      if (wanted !== null) wanted(isBehind);
      else if (isBehind) for (const stream of subscriber.streams.values()) this.sendFull(subscriber, stream);
    });
  }

  closed(socket: SocketId): void {
    this.openings.delete(socket);
    const subscriber = this.subscribers.get(socket);
    if (subscriber === undefined) return;
    this.subscribers.delete(socket);
    subscriber.isClosed = true;
    this.unsubscribe(subscriber);
    leaveCaller(this.callers, subscriber);
  }

  private begin(subscriber: Subscriber, { filters, resume }: Request): void {
    if (subscriber.hasControl) this.sendControl(subscriber.socket, helloOf(subscriber, this.options.model.clock()));
    this.enqueue(subscriber, () => {
      if (resume !== null && this.resume(subscriber, resume.stream, resume.seq)) return;
      if (resume !== null && filters.length === 0) this.sendNotResumable(subscriber);
      for (const filter of filters) this.subscribe(subscriber, this.topicOf(subscriber.serviceClass, filter));
    });
  }

  /** Runs `step` after the steps before it, between two ticks, unless the connection is closed by then. */
  private enqueue(subscriber: Subscriber, step: () => void): void {
    if (subscriber.waiting >= limits.pushWaitingMax) {
      this.fail(subscriber, new QueryError('push.bad_message', { detail: 'too many messages wait' }));
      return;
    }
    subscriber.waiting += 1;
    this.turns.add(subscriber.serviceClass, () => {
      subscriber.waiting -= 1;
      if (subscriber.isClosed) return;
      try {
        step();
      } catch (error) {
        this.fail(subscriber, error);
      }
    });
  }

  /** The state of the last tick over HTTP: a client that connects with its stream and `seq` gets what changed since. */
  private sendSnapshot(opening: Opening, caller: Caller, admission: Admission, filter: Filter): void {
    const { socket } = opening;
    const { access, model } = this.options;
    const serviceClass = this.classes[access.pace(caller, caller.tier)];
    this.turns.add(serviceClass, async () => {
      try {
        const topic = this.topicOf(serviceClass, filter);
        topic.leftMs.binary = model.steadyMs();
        const { bytes } = await serviceClass.binaryFullInTurns(topic);
        this.openings.delete(socket);
        this.transport!.respond(socket, { ...snapshotHeaders, ...admission.headers }, bytes);
        access.spend(caller, bytes.length);
      } catch (error) {
        admission.giveBack();
        this.refuse(opening, error);
      }
    });
  }

  private handle(subscriber: Subscriber, message: ClientMessage): void {
    const { model } = this.options;
    switch (message.type) {
      case 'ping':
        this.sendControl(subscriber.socket, {
          type: 'pong',
          time: unixS(model.clock()),
          ...(message.id === undefined ? {} : { id: message.id }),
        });
        break;
      case 'subscribe': {
        const filters = message.zones ?? [parseFilter(message.filter === undefined ? {} : message.filter, model)];
        this.want(subscriber, (isBehind) => this.replace(subscriber, filters, isBehind));
        break;
      }
      case 'unsubscribe':
        subscriber.wanted = null;
        this.unsubscribe(subscriber);
        break;
      case 'resume':
        this.want(subscriber, () => {
          this.unsubscribe(subscriber);
          if (!this.resume(subscriber, message.stream, message.seq)) this.sendNotResumable(subscriber);
        });
        break;
    }
  }

  /** A client that asks and does not read has the frames of one request queued, not of each: only the newest counts, once it has read those before. */
  private want(subscriber: Subscriber, step: (isBehind: boolean) => void): void {
    subscriber.wanted = step;
    this.transport!.drain(subscriber.socket);
  }

  /** Subscribes to these filters instead of the previous ones. Streams that stay continue without a `full`, unless the client is behind. */
  private replace(subscriber: Subscriber, filters: readonly Filter[], isBehind: boolean): void {
    const topics = filters.map((filter) => this.topicOf(subscriber.serviceClass, filter));
    const wanted = new Set(topics.map(({ id }) => id));
    const isNew = isBehind || topics.length === 1;
    for (const [id, stream] of subscriber.streams) if (isNew || !wanted.has(id)) this.leave(subscriber, stream);
    for (const topic of topics) if (!subscriber.streams.has(topic.id)) this.subscribe(subscriber, topic);
  }

  private topicOf(serviceClass: ServiceClass, filter: Filter): Topic {
    return serviceClass.topic(filter, freshSnapshot(this.options.model));
  }

  private subscribe(subscriber: Subscriber, topic: Topic): void {
    const stream: Stream = { topic, channel: channelOf(topic, subscriber.encoding) };
    this.sendFull(subscriber, stream);
    subscriber.streams.set(topic.id, stream);
    topic.subscribers[subscriber.encoding] += 1;
  }

  private resume(subscriber: Subscriber, stream: string, seq: number): boolean {
    const { serviceClass, encoding, socket } = subscriber;
    const topic = serviceClass.topicOf(stream);
    const missed = topic === undefined ? null : serviceClass.since(topic, seq);
    if (topic === undefined || missed === null || missed.some((delta) => delta[kindOf(encoding)] === null)) return false;
    const channel = channelOf(topic, encoding);
    subscriber.streams.set(topic.id, { topic, channel });
    topic.subscribers[encoding] += 1;
    for (const delta of missed) this.transport!.send(socket, frameOf(delta, encoding)!);
    this.transport!.join(socket, channel);
    return true;
  }

  private unsubscribe(subscriber: Subscriber): void {
    for (const stream of subscriber.streams.values()) this.leave(subscriber, stream);
  }

  private leave(subscriber: Subscriber, { topic, channel }: Stream): void {
    subscriber.streams.delete(topic.id);
    topic.subscribers[subscriber.encoding] -= 1;
    topic.leftMs[kindOf(subscriber.encoding)] = this.options.model.steadyMs();
    if (!subscriber.isClosed) this.transport!.leave(subscriber.socket, channel);
  }

  private sendFull(subscriber: Subscriber, { topic, channel }: Stream): void {
    const { serviceClass, socket, encoding } = subscriber;
    this.transport!.send(socket, serviceClass.fulls.frame(topic, encoding));
    this.transport!.join(socket, channel);
  }

  private async publish(deltas: readonly TopicDelta[]): Promise<number> {
    const { frames, bytes } = channelFrames(deltas);
    if (frames.length > 0) await this.transport!.publish(frames);
    return bytes;
  }

  /** After a tick of pages: another interval if they are sent too much, or may be sent more. */
  private pacePages(bytes: number): void {
    if (!this.pagePace.ticked(bytes)) return;
    const { page } = this.classes;
    page.intervalMs = this.pagePace.intervalMs;
    const message = pacedTo(this.pagePace, this.options.pageEgress);
    for (const subscriber of this.subscribers.values())
      if (subscriber.serviceClass === page && subscriber.hasControl)
        this.turns.add(page, () => this.sendControl(subscriber.socket, message));
  }

  /** Continues with the interval of another tier or pace, from a `full`. */
  private move(subscriber: Subscriber, tier: Tier, pace: Pace): void {
    const serviceClass = this.classes[pace];
    const { socket, hasControl } = subscriber;
    if (hasControl) this.sendControl(socket, movedTo(tier, serviceClass.intervalMs));
    if (serviceClass === subscriber.serviceClass) return;
    this.enqueue(subscriber, () => {
      const filters = [...subscriber.streams.values()].map(({ topic }) => topic.filter);
      this.unsubscribe(subscriber);
      subscriber.serviceClass = serviceClass;
      this.enqueue(subscriber, () => {
        for (const filter of filters) this.subscribe(subscriber, this.topicOf(serviceClass, filter));
      });
    });
  }

  private beat(): void {
    this.checkCallers();
    const snapshot: Snapshot | null = this.options.model.view.current();
    if (snapshot !== null) for (const one of Object.values(this.classes)) if (one.isLate()) one.onSnapshot(snapshot, true);
  }

  private sendNotResumable({ socket }: Subscriber): void {
    this.sendControl(socket, { type: 'error', code: 'not-resumable', detail: 'the frames since then are not kept here: subscribe again' });
  }

  private sendControl(socket: SocketId, message: Readonly<Record<string, unknown>>): void {
    this.transport!.send(socket, { bytes: Buffer.from(JSON.stringify(message)), isBinary: false });
  }

  private fail(subscriber: Subscriber, error: unknown): void {
    if (subscriber.isClosed || subscriber.isEnded) return;
    subscriber.isEnded = true;
    const known = this.count(error);
    if (subscriber.hasControl) this.sendControl(subscriber.socket, { type: 'error', code: stableCode(known.code), detail: known.message });
    this.transport!.end(subscriber.socket, errorKinds[known.code].close ?? errorKinds['api.internal'].close!, known.message);
  }

  /** Counts a refusal; an unexpected error is logged. */
  private count(error: unknown): SquitterError {
    const known = error instanceof SquitterError ? error : new SquitterError('api.internal', {}, error);
    if (known !== error) this.options.logger.error({ error: String(error) }, 'a subscription failed');
    this.refused.set(known.code, (this.refused.get(known.code) ?? 0) + 1);
    return known;
  }
}
