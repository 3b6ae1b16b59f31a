/** What an operator can mend: said as one sentence, without a stack. */
export class StartupError extends Error {
  override readonly name = "StartRefused";
}
