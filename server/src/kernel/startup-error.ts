/** What an operator can mend: said as one sentence, without a stack. */
export class StartRefused extends Error {
  override readonly name = "StartRefused";
}
