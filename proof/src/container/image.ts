/**
 * Builds the image of `deploy/Containerfile` without a registry or daemon: a base from Debian packages gets the name
 * of the original base, so that the file is built unchanged.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");
const CONTAINERFILE = "deploy/Containerfile";
const NPM = "npm@11.6.0";

export interface Image {
  /** The folder with its files. */
  readonly root: string;
  readonly user: string;
  readonly env: readonly string[];
  readonly workingDir: string;
  readonly entrypoint: readonly string[];
  readonly healthCheck: readonly string[];
  /** In MB. */
  readonly size: number;
}

export function run(program: string, args: readonly string[], cwd = ROOT): string {
  return execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, STORAGE_DRIVER: "vfs" },
  }).trim();
}

export function buildImage(folder: string): Image {
  const store = ["--root", join(folder, "store"), "--runroot", join(folder, "run")];
  const buildah = (...args: readonly string[]): string => run("buildah", [...store, ...args]);
  const base = /^FROM (\S+) AS build$/m.exec(readFileSync(join(ROOT, CONTAINERFILE), "utf8"))?.[1];
  if (base === undefined) throw new Error("The Containerfile names no base.");
  importBase(buildah, makeBase(folder), base);
  const how = ["--isolation", "chroot", "--format", "docker", "--pull-never", "--layers=false"];
  const what = ["--ignorefile", `${CONTAINERFILE}.dockerignore`, "-f", CONTAINERFILE];
  buildah("build", ...how, ...what, "-t", "millrace", ".");
  const { Docker } = JSON.parse(buildah("inspect", "--type", "image", "localhost/millrace"));
  const { User, Env, WorkingDir, Entrypoint, Healthcheck } = Docker.config;
  const root = buildah("mount", buildah("from", "--pull-never", "localhost/millrace"));
  return {
    root,
    user: User,
    env: Env,
    workingDir: WorkingDir,
    entrypoint: Entrypoint,
    healthCheck: Healthcheck.Test.slice(1),
    size: Number(run("du", ["-sm", root]).split("\t")[0]),
  };
}

/** A Debian with npm and the current Node, like the base of the Containerfile. */
function makeBase(folder: string): string {
  const base = join(folder, "base");
  if (existsSync(base)) return base;
  run("debootstrap", ["--variant=minbase", "--include=ca-certificates", "trixie", base]);
  copyFileSync(process.execPath, join(base, "usr/local/bin/node"));
  chmodSync(join(base, "usr/local/bin/node"), 0o755);
  const packed = run("npm", ["pack", "--silent", NPM, "--pack-destination", folder]);
  const npm = join(base, "usr/local/lib/node_modules/npm");
  mkdirSync(npm, { recursive: true });
  run("tar", ["-xzf", join(folder, packed), "-C", npm, "--strip-components=1"]);
  chmodSync(join(npm, "bin/npm-cli.js"), 0o755);
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(base, "usr/local/bin/npm"));
  return base;
}

function importBase(
  buildah: (...args: readonly string[]) => string,
  folder: string,
  name: string,
): void {
  const container = buildah("from", "scratch");
  buildah("add", container, folder, "/");
  // If external calls need special certificates, the build needs them too.
  const certificates = process.env["NODE_EXTRA_CA_CERTS"];
  if (certificates !== undefined) {
    buildah("copy", container, certificates, "/etc/ssl/certs/extra.crt");
    buildah("config", "--env", "NODE_EXTRA_CA_CERTS=/etc/ssl/certs/extra.crt", container);
  }
  buildah(
    "config",
    "--env",
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    container,
  );
  buildah("commit", "--rm", container, name);
}
