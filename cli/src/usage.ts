/** An error of a command for its user, printed without a stack. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  /** 2 for a usage error, 1 for a failed command. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const USAGE = `millrace: a workspace as code, and what people do with it from a terminal

  millrace login [--url URL] [--workspace SLUG] [--email E-MAIL]
      Keeps a session. The password is read from the terminal or MILLRACE_PASSWORD.
  millrace whoami
      Says who you are there.

A workspace as code, in F (here unless given)
  millrace pull [--folder F] [--kinds workflows,tables] [--format yaml|ts]
      Writes the definitions of the workspace, one file each: F/<kind>/<name>.yaml. With --format ts workflows come as
      TypeScript, with types of what the workspace has.
  millrace types [--folder F]
      Writes these types alone, to F/millrace.d.ts.
  millrace plan [--folder F] [--force] [--prune]
      Tells what apply would change; exits with 0 when nothing, with 2 when something. Runs the .ts files of F.
  millrace apply [--folder F] [--force] [--prune]
      Makes the workspace as F says, all or nothing. What people edited there is kept, unless forced; what F had
      before and no longer has is told, and removed with --prune.
  millrace dev [--folder F] [--force] [--prune]
      Watches F and applies it on each save, to development unless --environment says otherwise.
  millrace fixture RUN-ID [--name NAME] [--steps sum,send] [--folder F]
      Records a run, without its secrets: F/fixtures/<workflow>/<name>.json. With --steps a test wants what these gave
      and how the run ended, and not that all goes as it did.
  millrace test [NAME] [--folder F] [--update] [--junit FILE] [--server]
      Tests the workflows of F with its fixtures and the artifacts with the cases beside them, on this machine: no
      server and no login are needed, unless --server says so. Exits with 1 when one fails, with 2 when there is
      none. --update takes what comes out for what is wanted.

Workflows and runs
  millrace workflows list | workflows publish WORKFLOW | workflows run WORKFLOW [--input JSON] [--follow]
  millrace runs list [WORKFLOW] [--status failed] [--limit N] | runs show RUN-ID | runs logs RUN-ID [--follow]
  millrace runs cancel RUN-ID | runs retry RUN-ID [--follow]

Data
  millrace records list TABLE [--filter JSON] [--sort FIELDS] [--limit N] | records get TABLE RECORD-ID
  millrace records create TABLE --input JSON | records update TABLE RECORD-ID --input JSON
  millrace records delete TABLE RECORD-ID
  millrace sql SELECT [--limit N]          - reads it from the standard input
  millrace events [TOPIC] [--type TYPE] [--limit N] [--follow]
  millrace packs list | packs install FILE | packs remove PACK-ID

Artifacts
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

The log
  millrace audit proof EVENT-ID
      Prints the proof that an event stands in the log as it was signed.
  millrace audit verify FILE [--key KEY]
      Verifies such a proof without the server; exits with 1 when it does not hold, or is not of KEY.

  --environment NAME   production, staging or development; development for dev, else production
  --json               machine-readable output
  --help

MILLRACE_URL, MILLRACE_WORKSPACE and MILLRACE_TOKEN take the place of what login kept.
`;
