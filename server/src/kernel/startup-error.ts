/** A startup error that an operator can fix: printed as one sentence, without a stack. */
export class StartupError extends Error {
  override readonly name: string = "StartupError";
}
