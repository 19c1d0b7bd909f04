// An HTTP API as a service: started, stopped and probed by the controller.
import { EventEmitter, once } from 'node:events';
import { createServer, get } from 'node:http';
import { unhealthy } from 'health-controller';

/** Serves `/price`, which asks the upstream, and `/report`, which takes a while and is told of by an event. */
export class Api extends EventEmitter {
  #server = createServer((request, response) => {
    this.#answer(request.url ?? '/', response);
  });
  #upstreamUrl;

  /** @param {string} upstreamUrl */
  constructor(upstreamUrl) {
    super();
    this.#upstreamUrl = upstreamUrl;
  }

  get url() {
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
    return `http://127.0.0.1:${port}`;
  }

  /** Resolved: it is up. */
  async start() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Takes no new connections and waits for the requests that are under way. */
  async stop() {
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** A probe: is it all right? Nothing returned means yes. */
  status() {
    return this.#server.listening ? undefined : unhealthy('the API does not listen');
  }

  /**
   * @param {string} path
   * @param {import('node:http').ServerResponse} response
   */
  #answer(path, response) {
    if (path === '/price') {
      get(this.#upstreamUrl, { agent: false }, (answer) => answer.pipe(response)).on('error', () => {
        response.writeHead(502).end('the upstream does not answer\n');
      });
    } else if (path === '/report') {
      this.emit('report');
      setTimeout(() => response.end('the report, complete\n'), 1500);
    } else {
      response.writeHead(404).end();
    }
  }
}
