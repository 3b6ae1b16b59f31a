/** Runs an endless script until the process is killed. Reports when the script has started. */
import { Sandbox } from "../sandbox.ts";
import { run } from "./scripts.ts";

const sandbox = new Sandbox();
const call = async (): Promise<void> => {
  process.stdout.write("calling\n");
};
await run(sandbox, "await context.tables.get(1); for (;;);", { call });
