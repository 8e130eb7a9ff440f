// Calls of a schema registry that its client lacks: JSON over HTTP or HTTPS, with a custom certificate authority.
import { type Agent, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { limits } from '../../../schemas/limits/index.ts';

export const NO_RESPONSE = 0;
export const NOT_FOUND = 404;

interface RegistryAccess {
  /** User name and password, with a colon between them. */
  readonly auth: string | undefined;
  readonly agent: Agent | undefined;
}

/** HTTP status of an error; NO_RESPONSE if there was no response. */
export function statusOf(error: unknown): number {
  return (error as { status?: number }).status ?? NO_RESPONSE;
}

export class RegistryHttp {
  private readonly url: string;
  private readonly access: RegistryAccess;

  constructor(url: string, access: RegistryAccess) {
    this.url = url;
    this.access = access;
  }

  /** Returns the body of a successful response. Throws an error with `status` for any other. */
  async ask(method: string, path: string, body?: object): Promise<unknown> {
    const { status, text } = await this.request(method, path, body);
    const parsedBody = parsed(text);
    if (status >= 200 && status < 300) return parsedBody;
    const detail = (parsedBody as { message?: string } | null)?.message ?? `status ${status}`;
    throw Object.assign(new Error(detail), { status });
  }

  private request(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    const request = this.url.startsWith('https:') ? requestTls : requestPlain;
    const options = {
      method,
      headers: { accept: 'application/json', 'content-type': 'application/vnd.schemaregistry.v1+json' },
      timeout: limits.registryResponseMsMax,
      ...this.access,
    };
    return new Promise((resolve, reject) => {
      const sent = request(`${this.url}${path}`, options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? NO_RESPONSE, text }));
      });
      sent.on('timeout', () => sent.destroy(new Error(`no response within ${limits.registryResponseMsMax / 1000} s`)));
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
