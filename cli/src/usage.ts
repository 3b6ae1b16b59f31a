/** What went wrong in words for whoever typed the command; no stack is shown. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  /** 2 for a command that can't be understood, 1 for one that did not succeed. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const USAGE = `millrace: a workspace as code, and the local loop of who writes artifacts

  millrace login [--url URL] [--workspace SLUG] [--email E-MAIL]
      Keeps a session. The password is read from the terminal or MILLRACE_PASSWORD.
  millrace whoami
      Says who you are there.
  millrace pull [--folder F] [--kinds workflows,tables]
      Writes the definitions of the workspace to F (here unless given), one YAML file each: F/<kind>/<name>.yaml.
  millrace plan [--folder F] [--force] [--prune]
      Tells what apply would change; exits with 0 when nothing, with 2 when something.
  millrace apply [--folder F] [--force] [--prune]
      Makes the workspace as F says, all or nothing. What people edited there is kept, unless forced; what F had
      before and no longer has is told, and removed with --prune.
  millrace artifacts pull [--folder F] [--module KEY]
      Writes each artifact to F/<module>/<name>.ts, with what else belongs to it in <name>.json.
  millrace artifacts new NAME [--folder F] [--module KEY]
      Makes a source and its card in F; of a source that is there, the card.
  millrace artifacts push [--folder F] [--dry-run] [--force]
      Saves what changed here. What changed on the server too is left alone, unless forced.
  millrace artifacts test [--folder F] [--module KEY]
      Runs the test cases of the artifacts in F on the server; exits with 1 when one fails.
  millrace artifacts dev [--folder F]
      Watches F: pushes each change and runs the tests of what changed, until Ctrl-C.
  millrace audit proof EVENT-ID
      Prints the proof that an event stands in the log as it was signed.
  millrace audit verify FILE [--key KEY]
      Verifies such a proof without the server; exits with 1 when it does not hold, or is not of KEY.

  --environment NAME   production, staging or development; development for dev, else production
  --json               machine-readable output
  --help

MILLRACE_URL, MILLRACE_WORKSPACE and MILLRACE_TOKEN take the place of what login kept.
`;
