// The streams of one topic of the push hub's engine. They share the messages of a tick.
import type { ServiceClass } from '../../../push/hub/service-class.ts';
import type { Topic, TopicChanges } from '../../../push/hub/topic.ts';
import { watchMessages } from './messages.ts';
import type { Messages, Watcher } from './watcher.ts';

export class Feed {
  readonly serviceClass: ServiceClass;
  readonly topic: Topic;
  readonly watchers = new Set<Watcher>();
  private readonly onSkip: () => void;
  /** The whole state at the last tick; null before it is asked for. */
  private made: Messages | null = null;

  /** `onSkip` is called for each tick that a stream misses. */
  constructor(serviceClass: ServiceClass, topic: Topic, onSkip: () => void) {
    this.serviceClass = serviceClass;
    this.topic = topic;
    this.onSkip = onSkip;
    topic.follower = (changes) => this.tick(changes);
  }

  /** The next messages of a stream that has taken the previous ones. Rejects with the error that ends it. */
  async next(watcher: Watcher): Promise<Messages> {
    if (!watcher.needsState) return watcher.next();
    await this.serviceClass.settled();
    if (watcher.isEnded) return watcher.next();
    watcher.needsState = false;
    this.made ??= watchMessages(this.serviceClass.lastTick(), this.topic.members, [], true);
    return this.made;
  }

  private tick(changes: () => TopicChanges): void {
    this.made = null;
    const ready: Watcher[] = [];
    for (const watcher of this.watchers) {
      if (watcher.isReady) ready.push(watcher);
      else {
        watcher.needsState = true;
        this.onSkip();
      }
    }
    if (ready.length === 0) return;
    const { current, changed, removed } = changes();
    const messages = watchMessages(current, changed, removed, false);
    for (const watcher of ready) watcher.give(messages);
  }
}
