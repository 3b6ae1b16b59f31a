/** Runs operator commands of `useMillrace` in sequence: each with a new copy of the program and shared imports. */
import { pathToFileURL } from "node:url";
import type { OperatorCommand, Said } from "./millrace.ts";

const [program = ""] = process.argv.slice(2);
const { href } = pathToFileURL(program);
const [node = "", script = ""] = process.argv;
let commands = 0;

process.on("message", ({ args, env }: OperatorCommand) => {
  void carryOut(args, env).then((said) => process.send?.(said));
});

async function carryOut(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Said> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [node, script, ...args];
  process.exitCode = undefined;
  let text = "";
  const streams = [process.stdout, process.stderr];
  const writes = streams.map(({ write }) => write);
  for (const stream of streams) {
    stream.write = (piece: string | Uint8Array): boolean => {
      text += piece.toString();
      return true;
    };
  }
  // The command has ended when the module is evaluated.
  await import(`${href}?command=${(commands += 1)}`);
  for (const [index, stream] of streams.entries()) stream.write = writes[index] ?? stream.write;
  return { code: process.exitCode ?? 0, said: text.replace(/\n$/, "") };
}
