// Limits of the streams, their transport, and the outputs for other programs.

export const pushLimits = {
  // push: subscriptions
  /** Aircraft in one filter, and items in each of its other lists. */
  pushHexesMax: 100,
  pushFilterItemsMax: 100,
  /** Zones of one connection. */
  pushZonesMax: 64,
  /** Interval of the slow class. */
  pushSlowTickMs: 150_000,
  /** Time for the deltas of a tick, and for writing to sockets, in one turn of the event loop; bytes of deltas in one piece. */
  pushTurnMsMax: 5,
  /** Time for making one binary frame in one turn: all that waits for several turns one after the other waits this long in each. */
  pushFrameTurnMsMax: 1,
  pushPieceBytesMax: 4 * 1024 * 1024,
  /** Steps of one client that wait for their turn. */
  pushWaitingMax: 64,
  /** Fulls of the last tick that are kept for the next client. */
  pushFullBytesMax: 64 * 1024 * 1024,
  /** Aircraft in all topics with binary frames. Each takes 0.85 KB: its values as they were sent last. */
  pushEncodedMax: 250_000,
  /** Frames of the last ticks that are kept for clients that resume. */
  pushResumeBytesMax: 128 * 1024 * 1024,
  /** Ticks, and time, for which these frames are kept unless they are too many bytes. */
  pushResumeTicksMin: 3,
  pushResumeMsMin: 60_000,
  /** Ticks one after the other that are too large before pages slow down: one alone may be a crowd that leaves again, or follow a gap of the feed. */
  pushLargeTicksMin: 2,
  /** Time in which each tick would have fitted at the faster interval before pages speed up. */
  pushCalmMsMin: 30_000,
  /** Different filters at a time. */
  pushTopicsMax: 20_000,
  /** How much later than its interval a tick comes when event time stands still: then it is a heartbeat. */
  pushLateMs: 2000,
  // outputs for other programs
  /** Clients of one output at a time. */
  outputClientsMax: 64,
  /** Bytes queued for one client of an output; what does not fit is left out. Larger pieces go to a client without queued bytes only. */
  outputQueuedBytesMax: 4 * 1024 * 1024,
  /** How long a client may read nothing while bytes are queued for it. */
  outputStallMsMax: 30_000,
  /** Bytes that a client of an output may send between two checks: they are ignored. */
  outputReceivedBytesMax: 16 * 1024,
  // push: transport
  /** Subscribers at a time; fewer if the system's limit of descriptors is low. */
  pushConnectionsMax: 10_000,
  /** Message of a subscriber. */
  pushMessageBytesMax: 16 * 1024,
  /** Messages, pings and pongs of one socket in a second. */
  pushMessagesPerSMax: 20,
  /** Bytes that are queued for one socket, counted from the end of the newest message that went to it alone. */
  pushSocketBytesMax: 1024 * 1024,
  /** How long a socket may be behind, or make no progress with what is queued. */
  pushBehindMsMax: 30_000,
  /** Interval of pings, and how many may stay without a pong. */
  pushPingMs: 30_000,
  pushPingsMissedMax: 2,
  /** How long the HTTP port waits for a connection to a push port, before it tries the next. */
  handOverConnectMsMax: 2000,
  /** How long the headers of a request may take, and then the decision to accept it. */
  pushHandshakeMsMax: 5000,
  pushOpeningMsMax: 5000,
  /** uWebSockets.js copies what the kernel does not take at once: a longer message is sent in fragments of this size, one at a time. */
  pushFragmentBytes: 48 * 1024,
  /** Interval at which the transport looks at its sockets. */
  pushSweepMs: 1000,
} as const;
