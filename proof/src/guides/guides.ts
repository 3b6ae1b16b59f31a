/** Runs every `curl` line of README and the guides in a shell exactly as printed, against a new installation. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { Product } from "../faults/product.ts";
import type { Finding, Options, Proof } from "../proof.ts";
import { type Answer, answersIn, commandsOf, scriptOf } from "./script.ts";

const ROOT = join(import.meta.dirname, "../../..");
const CACHE = join(ROOT, "node_modules/.cache");
const GUIDES = join(ROOT, "docs/guide");
/** The password in the guides. */
const PASSWORD = "correct horse battery staple";
const LOG_IN = join(GUIDES, "first-steps.md");
/** Longer than any guide takes, including its waits. */
const SHELL_MAX_MS = 120_000;

/** `npm run proof -- guides [name …]`: needs `sh`, `jq` and `curl`. */
export const guides: Proof = { name: "guides", usage: "[name …]", run };

async function run(names: Options): Promise<Finding> {
  await using stack = new AsyncDisposableStack();
  // Packages imported by a guide's code are found from here.
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, "guides-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const logIn = commandsOf(await readFile(LOG_IN, "utf8")).slice(0, 1);

  const lines: string[] = [];
  let failures = 0;
  for (const file of await filesOf(names)) {
    const blocks = commandsOf(await readFile(file, "utf8"));
    if (blocks.length === 0) continue;
    const name = basename(file, ".md");
    const data = join(folder, name);
    const product = await start(data, folder);
    try {
      const script = scriptOf(file === LOG_IN ? blocks : [...logIn, ...blocks], product.url);
      const answers = answersIn(await type(script, join(folder, `${name}-home`)));
      const wrong = answers.filter((answer) => !isAsPrinted(answer));
      failures += wrong.length;
      lines.push(`${name}: ${answers.length} commands`, ...wrong.map((one) => `  ${say(one)}`));
      if (answers.length === 0) failures += 1;
    } finally {
      await product.stop();
      await rm(data, { recursive: true, force: true });
    }
  }
  return { held: failures === 0, lines };
}

async function filesOf(names: Options): Promise<string[]> {
  const all = [
    join(ROOT, "README.md"),
    ...(await readdir(GUIDES))
      .filter((name) => name.endsWith(".md"))
      .toSorted()
      .map((name) => join(GUIDES, name)),
  ];
  return names.length === 0 ? all : all.filter((file) => names.includes(basename(file, ".md")));
}

function start(data: string, folder: string): Promise<Product> {
  const env = {
    MILLRACE_ADMIN_PASSWORD: PASSWORD,
    MILLRACE_DATA_DIR: data,
    MILLRACE_CONSOLE: "off",
  };
  return Product.start({ env, logFile: join(folder, "log") });
}

/** The stderr of a new shell in an empty folder. */
async function type(script: string, home: string): Promise<string> {
  await mkdir(home);
  const shell = spawn("sh", ["-c", script], {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: SHELL_MAX_MS,
  });
  const said: Buffer[] = [];
  shell.stderr.on("data", (chunk: Buffer) => said.push(chunk));
  await new Promise((resolve, reject) => {
    shell.once("close", resolve);
    shell.once("error", reject);
  });
  return Buffer.concat(said).toString();
}

/** A guide may call an external service that tests cannot reach. The product then reports this status. */
const ELSEWHERE = 502;

function isAsPrinted({ status, expected }: Answer): boolean {
  if (expected !== undefined) return status === expected;
  return (status >= 200 && status < 400) || status === ELSEWHERE;
}

function say({ line, status, expected, request }: Answer): string {
  return `line ${line}: ${status}${expected === undefined ? "" : `, not ${expected}`}: ${request}`;
}
