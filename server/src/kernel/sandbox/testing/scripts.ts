import { readdirSync, readFileSync } from "node:fs";
import type { Execution, Sandbox, ScriptOutcome } from "../sandbox.ts";

/** Runs a script with test defaults: a long timeout for busy machines, and calls that return their arguments. */
export async function run(
  sandbox: Sandbox,
  source: string,
  rest: Partial<Execution> = {},
): Promise<ScriptOutcome> {
  return sandbox.run({
    source,
    owner: "acme",
    input: {},
    facts: {
      workspace: { id: "ws_1", slug: "acme", name: "Acme" },
      environment: "production",
    },
    limits: { timeoutMs: 120_000 },
    call: async (method, args) => ({ method, args }),
    ...rest,
  });
}

/** The program path, from the sources or the bundle. */
const SCRIPT_PROGRAM = /sandbox\/process\/program\.ts|script-process\.mjs/;

/** The running script processes of a process. */
export function scriptProcessesOf(pid: number = process.pid): number[] {
  return childrenOf(pid).filter((child) => {
    try {
      return SCRIPT_PROGRAM.test(readFileSync(`/proc/${child}/cmdline`, "utf8"));
    } catch {
      return false;
    }
  });
}

function childrenOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks)
    .flatMap((task) => readFileSync(`${tasks}/${task}/children`, "utf8").split(" "))
    .filter((child) => child !== "")
    .map(Number);
}
