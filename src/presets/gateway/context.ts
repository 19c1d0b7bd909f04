/** What every function that is given to a gateway is called with. */
export interface GatewayContext {
  /** Of what looks: aborted at the timeout, code `timeout`. Of a start in the background: when `restart()` is called, or the controller shuts down. */
  readonly signal: AbortSignal;
}
