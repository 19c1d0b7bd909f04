// The upstream: somebody else's HTTP server, in a process of its own, so that it can really die.
//   node upstream.mjs [port]
import { createServer } from 'node:http';

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json').end('{"price":42}');
});

server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  process.send?.(/** @type {import('node:net').AddressInfo} */ (server.address()).port);
});

// Ctrl-C in a terminal reaches this process too; it goes when the demo goes.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());
