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

export const USAGE = `millrace: manage a workspace as code, and work with its data on the command line

  millrace login [--url URL] [--workspace SLUG] [--email E-MAIL]
      Logs in and saves the session. Reads the password from the terminal or MILLRACE_PASSWORD.
  millrace whoami
      Prints the current user, workspace and server.

Workspace as code. F is the folder (default: current folder)
  millrace pull [--folder F] [--kinds workflows,tables] [--format yaml|ts]
      Writes each definition of the workspace to F/<kind>/<name>.yaml. With --format ts, writes workflows as TypeScript
      with types for the resources of the workspace.
  millrace types [--folder F]
      Writes only these types, to F/millrace.d.ts.
  millrace plan [--folder F] [--force] [--prune]
      Prints what apply would change. Exit code 0: no changes, 2: changes. Runs the .ts files of F.
  millrace apply [--folder F] [--force] [--prune]
      Applies the definitions in F to the workspace in one transaction. Definitions that were edited on the server are
      kept; --force overwrites them. Lists definitions that were deleted from F; --prune deletes them on the server.
  millrace dev [--folder F] [--force] [--prune]
      Watches F and applies each change. Default environment: development.
  millrace fixture RUN-ID [--name NAME] [--steps sum,send] [--folder F]
      Records a run without its secrets in F/fixtures/<workflow>/<name>.json. With --steps, a test compares only the
      output of these steps and the final status.
  millrace test [NAME] [--folder F] [--update] [--junit FILE] [--server]
      Tests the workflows of F with their fixtures, and the artifacts with their test cases. Runs on this machine without
      a server or login; --server runs the tests on the server. Exit code 1: a test failed, 2: no tests found.
      --update replaces the expected results.

Workflows and runs
  millrace workflows list | workflows publish WORKFLOW | workflows run WORKFLOW [--input JSON] [--follow]
  millrace runs list [WORKFLOW] [--status failed] [--limit N] | runs show RUN-ID | runs logs RUN-ID [--follow]
  millrace runs cancel RUN-ID | runs retry RUN-ID [--follow]

Data
  millrace records list TABLE [--filter JSON] [--sort FIELDS] [--limit N] | records get TABLE RECORD-ID
  millrace records create TABLE --input JSON | records update TABLE RECORD-ID --input JSON
  millrace records delete TABLE RECORD-ID
  millrace sql SELECT [--limit N]          - reads the query from the standard input
  millrace events [TOPIC] [--type TYPE] [--limit N] [--follow]
  millrace packs list | packs install FILE | packs remove PACK-ID

Artifacts
  millrace artifacts pull [--folder F] [--module KEY]
      Writes each artifact to F/<module>/<name>.ts, and its other properties to <name>.json (the card file).
  millrace artifacts new NAME [--folder F] [--module KEY]
      Creates a source file and a card file in F. If the source file exists, creates only the card file.
  millrace artifacts push [--folder F] [--dry-run] [--force]
      Saves local changes on the server. Skips artifacts that also changed on the server; --force overwrites them.
  millrace artifacts test [--folder F] [--module KEY]
      Runs the test cases of the artifacts in F on the server. Exit code 1: a test failed.
  millrace artifacts dev [--folder F]
      Watches F, pushes each change and runs the tests of the changed artifacts. Press Ctrl-C to stop.

Audit log
  millrace audit proof EVENT-ID
      Prints the proof that an event is in the signed log.
  millrace audit verify FILE [--key KEY]
      Verifies a proof without the server. Exit code 1: the proof is invalid, or was signed with another key than KEY.

  --environment NAME   production, staging or development. Default: production (dev: development)
  --json               machine-readable output
  --help               print this text

MILLRACE_URL, MILLRACE_WORKSPACE and MILLRACE_TOKEN override the saved session.
`;
