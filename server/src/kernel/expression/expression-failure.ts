/**
 * The reason why an expression has no value.
 *
 * - `syntax`: the text is no expression.
 * - `evaluation`: it can't be applied to these values.
 * - `timeout`: it took too long and was stopped.
 * - `too_large`: its input, its result or the memory it needs is beyond the limits.
 * - `busy`: too many evaluations wait already; later it may work.
 */
export type ExpressionFailureCode = "syntax" | "evaluation" | "timeout" | "too_large" | "busy";

interface Particulars {
  /** How many characters into the text. */
  readonly position?: number | undefined;
  /** The operator or function that failed. */
  readonly token?: string | undefined;
  /** The JSON pointer of the string within its template. */
  readonly path?: string | undefined;
  /** The expression there. */
  readonly text?: string | undefined;
}

/** Where an expression stands in a template: in which string, and how many characters into it. */
export interface ExpressionPlace {
  readonly path: string;
  readonly text: string;
  readonly offset: number;
}

/** The failure of an expression. Its message never holds a value that the expression saw: it may be a secret. */
export class ExpressionError extends Error {
  readonly code: ExpressionFailureCode;
  readonly position: number | undefined;
  readonly token: string | undefined;
  readonly path: string | undefined;
  readonly text: string | undefined;

  constructor(code: ExpressionFailureCode, message: string, particulars: Particulars = {}) {
    super(message);
    this.name = "ExpressionFailure";
    this.code = code;
    this.position = particulars.position;
    this.token = particulars.token;
    this.path = particulars.path;
    this.text = particulars.text;
  }

  /** This failure with its position in a template. */
  at({ path, text, offset }: ExpressionPlace): ExpressionError {
    const position = this.position === undefined ? offset : offset + this.position;
    const { code, message, token } = this;
    return new ExpressionError(code, message, { position, token, path, text });
  }
}
