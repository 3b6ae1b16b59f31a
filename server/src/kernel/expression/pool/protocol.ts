/** What the pool asks of an evaluator. All values travel as JSON text: it is checked by its length. */
export interface EvaluationRequest {
  /** Whose it is: expressions of different keys never share an instance of the library. */
  readonly key: string;
  readonly expressions: readonly {
    readonly text: string;
    /** It can change objects in place, so it gets an instance of its own. */
    readonly writes: boolean;
  }[];
  readonly input: string | undefined;
  readonly bindings: string | undefined;
  readonly nowMs: number;
  /** For all expressions of the job together. */
  readonly timeLimitMs: number;
  readonly resultCharactersMax: number;
}

/** What became of one expression. */
export type EvaluationReply =
  | { readonly json: string | undefined; readonly fault?: undefined }
  | { readonly fault: EvaluationError };

export interface EvaluationError {
  /** One of JSONata's codes, or `timeout`, `too_large`, `unknown`. */
  readonly code: string;
  readonly position?: number | undefined;
  readonly token?: string | undefined;
  /** What `$error` or `$assert` was told to say. */
  readonly said?: string | undefined;
}
