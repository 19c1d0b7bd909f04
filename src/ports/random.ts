/** A number in [0, 1). */
export type Random = () => number;

export const systemRandom: Random = () => Math.random();
