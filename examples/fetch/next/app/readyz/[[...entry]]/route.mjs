// A route handler of Next's app router: /readyz, and below it a path for each entry. The same file under `livez` and
// `status` makes the other two.
import { health } from '../../../../health.mjs';

// Never rendered ahead of time, never kept.
export const dynamic = 'force-dynamic';

export const GET = (request) => health(request) ?? new Response(null, { status: 404 });
export const HEAD = GET;
