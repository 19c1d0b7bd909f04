import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent?: Agent;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Whether it came over a connection that had served a request before. */
  readonly reused: boolean;
}

/** Sends `path` as it is, without the normalising of fetch. */
export function ask(
  origin: string,
  path: string,
  { method = 'GET', headers, body, agent }: Asked = {},
): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname: hostname.replace(/[[\]]/g, ''), port, path, method, headers, agent: agent ?? new Agent() },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => {
          const { statusCode = 0 } = response;
          resolve({ status: statusCode, headers: response.headers, body: text, reused: sent.reusedSocket });
        });
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
