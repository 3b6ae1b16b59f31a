/** A process that runs an endless script until it is killed. It reports when the script has started. */
import { Sandbox } from "../sandbox.ts";
import { run } from "./scripts.ts";

const sandbox = new Sandbox();
const call = async (): Promise<void> => {
  process.stdout.write("calling\n");
};
await run(sandbox, "await context.tables.get(1); for (;;);", { call });
