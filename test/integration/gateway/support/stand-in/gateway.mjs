// Stands in for a gateway: a process with its title, its health route, and the faults that real ones show. The file
// `mode` beside it says how it answers, `delay` for how many milliseconds it listens to nobody after its start.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const port = Number(process.argv.at(-1));
const read = (name, otherwise) => (existsSync(name) ? readFileSync(name, 'utf8').trim() : otherwise);
const json = (response, status, body) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
};

process.title = 'openclaw-gateway';
writeFileSync('gateway.pid', String(process.pid));

const answers = {
  ok: (response) => json(response, 200, '{"ok":true,"status":"live"}'),
  'not-ok': (response) => json(response, 200, '{"ok":false}'),
  garbage: (response) => response.end('\0\0{{{'),
  page: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>x</title>'),
  missing: (response) => json(response, 404, '{}'),
  forbidden: (response) => json(response, 403, '{}'),
  broken: (response) => json(response, 500, '{"ok":true}'),
  moved: (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  hangs: () => {},
  'half-body': (response) => response.writeHead(200).write('{"ok":'),
  endless(response) {
    response.writeHead(200);
    const more = () => {
      while (response.write('x'.repeat(16_384)));
    };
    response.on('drain', more);
    more();
  },
  'drops-connection': (response) => response.socket.destroy(),
  'no-http': (response) => response.socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
};

let elsewhere = 0;
const server = createServer((request, response) => {
  if (request.url === '/elsewhere') {
    elsewhere++;
    answers.ok(response);
  } else if (request.url === '/counts') {
    server.getConnections((_, connections) => json(response, 200, JSON.stringify({ elsewhere, connections })));
  } else answers[read('mode', 'ok')](response);
});
setTimeout(() => server.listen(port, read('host', '127.0.0.1')), Number(read('delay', '0')));
