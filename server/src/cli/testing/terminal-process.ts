/** Runs command lines of `Terminal` in sequence, each with a separate environment. */
import type { CommandLine, Outcome } from "./terminal.ts";

const [program = ""] = process.argv.slice(2);
const { main } = (await import(program)) as {
  readonly main: (args: readonly string[]) => Promise<number>;
};

process.on("message", ({ args, env }: CommandLine) => {
  void carryOut(args, env).then((outcome) => process.send?.(outcome));
});

async function carryOut(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const out = capture(process.stdout);
  const err = capture(process.stderr);
  try {
    return { code: await main(args), out: out.end(), err: err.end() };
  } catch (error) {
    // Node's exit for an uncaught error.
    return { code: 1, out: out.end(), err: err.end() + (error as Error).stack };
  }
}

/** Captures further writes to a stream. */
function capture(stream: NodeJS.WriteStream): { readonly end: () => string } {
  const { write } = stream;
  let text = "";
  stream.write = (piece: string | Uint8Array): boolean => {
    text += piece.toString();
    return true;
  };
  return {
    end: () => {
      stream.write = write;
      return text;
    },
  };
}
