// Errors on a connection that has no response object: those of the HTTP parser come before any request, others before a request is ours.
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { cut } from '../../queries/errors.ts';
import { MethodError, problem, READ_METHODS, statusPhrase } from '../errors/problems.ts';
import { connectionOf } from './connection.ts';

const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Responds to requests that the HTTP parser refuses, and closes: afterwards the connection cannot be trusted. */
export function respondToParserError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  // A request that waits behind others may be late without its own fault.
  if (error.code === REQUEST_TIMEOUT && connectionOf(socket)?.isIdle === false) return;
  endWithProblem(parserError(error), socket);
}

/** Without this response Node closes the connection silently. */
export function refuseConnect(socket: Duplex): void {
  endWithProblem(new MethodError('CONNECT', READ_METHODS), socket);
}

/** The last response of a connection. */
export function endWithProblem(error: SquitterError, socket: Duplex): void {
  const { status, headers, body } = problem(error, '/', 'unread');
  const lines = Object.entries({
    ...headers,
    'access-control-allow-origin': '*',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${statusPhrase(status)}\r\n${head}\r\n${body}`);
}

function parserError({ code, message, rawPacket }: Error & { code?: string; rawPacket?: Buffer }): SquitterError {
  if (code === REQUEST_TIMEOUT) return new SquitterError('api.request_timeout');
  if (code === 'HPE_HEADER_OVERFLOW') {
    // The parser counts the request line as part of the headers.
    const lineEnd = rawPacket?.indexOf('\r\n') ?? 0;
    const isLine =
      rawPacket !== undefined && /^[A-Z]+ /.test(rawPacket.toString('latin1', 0, 8)) && (lineEnd < 0 || lineEnd > limits.urlBytesMax);
    return isLine
      ? new SquitterError('api.url_too_long', { limit: limits.urlBytesMax })
      : new SquitterError('api.headers_too_large', { limit: limits.headerBytesMax });
  }
  return new SquitterError('api.bad_request', { detail: cut(message, limits.errorTextCharactersMax) });
}
