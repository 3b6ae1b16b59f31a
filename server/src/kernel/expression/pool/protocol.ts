/** A request of the pool to an evaluator. All values travel as JSON text: its length can be checked. */
export interface EvaluationRequest {
  /** Expressions of different keys never share an instance of the library. */
  readonly key: string;
  readonly expressions: readonly {
    readonly text: string;
    /** It can change objects in place, so it gets an instance of its own. */
    readonly writes: boolean;
  }[];
  readonly input: string | undefined;
  readonly bindings: string | undefined;
  readonly nowMs: number;
  /** For all expressions of the request together. */
  readonly timeLimitMs: number;
  readonly resultCharactersMax: number;
}

/** The result of one expression. */
export type EvaluationReply =
  | { readonly json: string | undefined; readonly error?: undefined }
  | { readonly error: EvaluationError };

export interface EvaluationError {
  /** One of JSONata's codes, or `timeout`, `too_large`, `unknown`. */
  readonly code: string;
  readonly position?: number | undefined;
  readonly token?: string | undefined;
  /** The message that the expression gave to `$error` or `$assert`. */
  readonly customMessage?: string | undefined;
}
