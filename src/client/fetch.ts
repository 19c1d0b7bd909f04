/** What a try asks with: what a `fetch` takes, as far as it is used here. */
export interface SnapshotFetchInit {
  readonly method: 'GET';
  readonly headers: Record<string, string>;
  /** Redirects are not followed: another place's answer says nothing about this instance. */
  readonly redirect: 'manual';
  readonly cache: 'no-store';
  /** Aborted at the timeout, and when the answer is not wanted any more. */
  readonly signal: AbortSignal;
}

/** What it is answered with: of a `Response`, as far as it is used here. */
export interface SnapshotFetchResponse {
  readonly status: number;
  readonly type?: string | undefined;
  readonly headers?: { get(name: string): string | null } | undefined;
  readonly body?: SnapshotFetchBody | null | undefined;
  /** Asked where there is no `body` to read piece by piece. */
  text?(): Promise<string>;
}

/** A stream of bytes: of a `ReadableStream`, as far as it is used here. */
export interface SnapshotFetchBody {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<unknown>;
  };
}

/** A `fetch`, or whatever can ask for a snapshot in its place. */
export type SnapshotFetch = (url: string, init: SnapshotFetchInit) => PromiseLike<SnapshotFetchResponse>;
