// Entry of the transport's worker thread: sockets of subscribers and event streams.
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadOptions } from '../../push/transport/message-port/messages.ts';
import { serveTransport } from '../../push/transport/message-port/serve.ts';

// Also after an error that nobody caught.
await serveTransport(parentPort!, workerData as ThreadOptions, (abandon) => process.once('exit', abandon));
// Connections that a client keeps open would hold the thread; in a thread, this ends nothing else.
process.exit();
