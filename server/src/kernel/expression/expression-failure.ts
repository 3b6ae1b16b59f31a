/**
 * Why an expression failed:
 *
 * - `syntax`: the text is not a valid expression.
 * - `evaluation`: the expression can't be applied to these values.
 * - `timeout`: the evaluation took too long and was stopped.
 * - `too_large`: the input, the result or the required memory exceeds the limits.
 * - `busy`: too many evaluations are waiting; retry later.
 */
export type ExpressionFailureCode = "syntax" | "evaluation" | "timeout" | "too_large" | "busy";

interface Particulars {
  /** The character offset in the text. */
  readonly position?: number | undefined;
  /** The operator or function that failed. */
  readonly token?: string | undefined;
  /** The JSON pointer of the string in its template. */
  readonly path?: string | undefined;
  /** The expression at that position. */
  readonly text?: string | undefined;
}

/** The position of an expression in a template: the string and the character offset. */
export interface ExpressionPlace {
  readonly path: string;
  readonly text: string;
  readonly offset: number;
}

/** The failure of an expression. Its message never contains a value from the scope, because it can be a secret. */
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
