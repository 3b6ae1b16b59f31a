/** A process that runs an endless script until it is killed; it says when the script is at it. */
import { Sandbox } from "../sandbox.ts";
import { run } from "./scripts.ts";

const sandbox = new Sandbox();
const call = async (): Promise<void> => {
  process.stdout.write("calling\n");
};
await run(sandbox, "await context.tables.get(1); for (;;);", { call });
