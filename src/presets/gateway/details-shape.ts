import { type Expecting, where } from '../../kit.js';

const isPolicy = (value: unknown): boolean => value === 'never' || value === 'always' || typeof value === 'function';

/** The option `details`, of handler and WebSocket alike. */
export const detailsShape = (): Expecting => where(isPolicy, "'never', 'always' or a function");
