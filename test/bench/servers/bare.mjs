import { createServer } from 'node:http';
import { serve } from './serve.mjs';

const body = Buffer.from('{"status":"ok"}');
const headers = { 'content-type': 'application/json', 'content-length': body.length };
await serve(
  createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  }),
);
