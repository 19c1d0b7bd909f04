// Anything with Request and Response. The default export is what Bun, Deno and Workers start: `bun examples/fetch/main.mjs`,
// `deno serve examples/fetch/main.mjs`. Run by Node, the lines at the end give it a server.
import { controller, health } from './health.mjs';

function app(request) {
  const { pathname } = new URL(request.url);
  if (pathname === '/work') return new Response('done');
  return new Response('no such page', { status: 404 });
}

const server = { fetch: (request) => health(request) ?? app(request) };
export default server;

if (process.versions.bun === undefined && process.versions.deno === undefined) {
  const { createAdaptorServer } = await import('@hono/node-server');
  const listening = createAdaptorServer(server).listen(Number(process.env.PORT ?? 8080), () => {
    console.log(`listening on http://localhost:${listening.address().port}`);
  });
  process.on('SIGTERM', () => controller.stop('SIGTERM'));
  process.exitCode = (await controller.wait()).exitCode;
  listening.close();
  listening.closeIdleConnections();
}
