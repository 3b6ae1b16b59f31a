/** A request of the pool to an evaluator. All values are sent as JSON text, so that their length can be checked. */
export interface EvaluationRequest {
  /** Expressions of different keys never share an instance of the library. */
  readonly key: string;
  readonly expressions: readonly {
    readonly text: string;
    /** True if it can change objects in place. It then gets a separate instance. */
    readonly writes: boolean;
  }[];
  readonly input: string | undefined;
  readonly bindings: string | undefined;
  readonly nowMs: number;
  /** The timeout for all expressions of the request together. */
  readonly timeLimitMs: number;
  readonly resultCharactersMax: number;
}

/** The result of one expression. */
export type EvaluationReply =
  | { readonly json: string | undefined; readonly error?: undefined }
  | { readonly error: EvaluationError };

export interface EvaluationError {
  /** A JSONata error code, or `timeout`, `too_large`, `unknown`. */
  readonly code: string;
  readonly position?: number | undefined;
  readonly token?: string | undefined;
  /** The message passed to `$error` or `$assert`. */
  readonly customMessage?: string | undefined;
}
