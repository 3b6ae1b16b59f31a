/**
 * Tests the product with other clients of the Model Context Protocol: the official conformance suite and the
 * inspector.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Product } from "../faults/product.ts";
import type { Finding, Proof } from "../proof.ts";
import { startTokenProxy } from "./token-proxy.ts";

const PINS = {
  "@modelcontextprotocol/conformance": "0.1.16",
  "@modelcontextprotocol/inspector": "2.12.0",
};
const SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
const INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
const PASSWORD = "correct horse battery staple";
const COMMAND_MAX_MS = 180_000;
/** The generic scenarios; the others call tools, prompts and resources of a server built for the suite. */
const SCENARIOS = ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"];
const METHODS = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
const SCOPES = ["mcp:connect", "workflows:read", "workflows:write"];

/** `npm run proof -- mcp`. Installs both into a separate folder, which requires a registry the first time. */
export const mcp: Proof = { name: "mcp", usage: "", run };

async function run(): Promise<Finding> {
  await using stack = new AsyncDisposableStack();
  const clients = await installClients();
  const folder = await mkdtemp(join(tmpdir(), "millrace-mcp-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const env = {
    MILLRACE_ADMIN_PASSWORD: PASSWORD,
    MILLRACE_DATA_DIR: join(folder, "data"),
    MILLRACE_CONSOLE: "off",
  };
  const product = await Product.start({ env, logFile: join(folder, "log") });
  stack.defer(async () => void (await product.stop()));
  const token = await makeToken(product.url);
  const proxy = await startTokenProxy(product.url, token);
  stack.defer(() => proxy.close());
  const lines: string[] = [];
  let failures = 0;
  const note = (name: string, { code, text }: CommandEnd): void => {
    if (code !== 0) failures += 1;
    lines.push(`${name}: ${code === 0 ? "passed" : `FAILED\n${text.slice(-2_000)}`}`);
  };
  for (const scenario of SCENARIOS) {
    const args = [SUITE, "server", "--url", `${proxy.url}/mcp`, "--scenario", scenario];
    note(`conformance ${scenario}`, await runNode(clients, args));
  }
  for (const method of METHODS) {
    const header = `Authorization: Bearer ${token}`;
    const about = ["--cli", `${product.url}/mcp`, "--transport", "http", "--header", header];
    note(`inspector ${method}`, await runNode(clients, [INSPECTOR, ...about, "--method", method]));
  }
  return { held: failures === 0, lines };
}

/** Installations are reused. Our lockfile is not affected, and package scripts do not run. */
async function installClients(): Promise<string> {
  const folder = join(tmpdir(), "millrace-mcp-clients");
  const done = join(folder, "installed");
  const manifest = JSON.stringify({ private: true, dependencies: PINS });
  if ((await readFile(done, "utf8").catch(() => "")) === manifest) return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), manifest);
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, text } = await runCommand("npm", args, folder);
  if (code !== 0) throw new Error(`The clients could not be installed.\n${text.slice(-2_000)}`);
  await writeFile(done, manifest);
  return folder;
}

async function makeToken(url: string): Promise<string> {
  const post = async (path: string, body: object, headers: Record<string, string>) => {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}.`);
    return ((await answer.json()) as { readonly data: { readonly token: string } }).data.token;
  };
  const email = "admin@example.com";
  const session = await post("/api/v1/auth/token", { email, password: PASSWORD }, {});
  const input = { name: "Conformance", expiresIn: "1d", scopes: SCOPES };
  const headers = { authorization: `Bearer ${session}`, "x-workspace": "default" };
  return post("/api/v1/auth/tokens", input, headers);
}

interface CommandEnd {
  readonly code: number;
  readonly text: string;
}

function runNode(folder: string, args: readonly string[]): Promise<CommandEnd> {
  return runCommand(process.execPath, args, folder);
}

function runCommand(file: string, args: readonly string[], cwd: string): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const options = { cwd, timeout: COMMAND_MAX_MS, maxBuffer: 64 * 1024 * 1024 };
    execFile(file, args, options, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, text: stdout + stderr }),
    );
  });
}
