// A stand-in for a tunnel and its public end: a proxy process that forwards to an application and may misbehave.
// It is told how over IPC: { mode, upstream }; it tells { port } once, and { asked: 'HEAD /path' } for each request.
import { createServer, request } from 'node:http';

let mode = 'forward';
let upstream;

const server = createServer((incoming, outgoing) => {
  process.send({ asked: `${incoming.method} ${incoming.url}` });
  if (mode === 'forward') forward(incoming, outgoing);
  else if (mode === 'silent') return;
  else if (mode === 'endless' && incoming.method === 'GET') endless(outgoing);
  else if (mode === 'no-head' || mode === 'endless') outgoing.writeHead(incoming.method === 'HEAD' ? 405 : 200).end();
  else if (mode === 'head-unknown') outgoing.writeHead(incoming.method === 'HEAD' ? 501 : 200).end();
  else if (mode === 'redirect') outgoing.writeHead(302, { location: '/elsewhere' }).end();
  else if (mode === 'garbage') incoming.socket.end('this is no HTTP\r\n\r\n');
  else if (mode === 'upgrade') incoming.socket.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
  else if (mode === 'half') incoming.socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
  else outgoing.writeHead(Number(mode)).end();
});
server.on('connection', (socket) => {
  if (mode === 'reset') socket.resetAndDestroy();
});

function forward(incoming, outgoing) {
  const onward = request(upstream + incoming.url, { method: incoming.method, agent: false }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  // What a tunnel's end says for an application that is not there.
  onward.on('error', () => {
    // Some applications send a body to a HEAD.
    if (outgoing.headersSent) outgoing.end();
    else outgoing.writeHead(502).end();
  });
  onward.end();
}

function endless(outgoing) {
  outgoing.writeHead(200);
  const more = () => {
    while (outgoing.write('x'.repeat(65_536)));
    outgoing.once('drain', more);
  };
  more();
}

process.on('message', (told) => {
  if (told.upstream !== undefined) upstream = told.upstream;
  if (told.mode === 'refuse') server.close();
  if (told.mode !== undefined) mode = told.mode;
  process.send({ told: true });
});
process.on('disconnect', () => process.exit());

// A short queue, so that a process that is frozen lets further connections hang.
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => process.send({ port: server.address().port }));
