/** What every function that is given to a gateway is called with. */
export interface GatewayContext {
  /** Of what looks: aborted at the timeout. Of a start in the background: aborted when `restart()` is called. */
  readonly signal: AbortSignal;
}
