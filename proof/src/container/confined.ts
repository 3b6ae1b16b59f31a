/**
 * Runs an image's process like a container runtime: with separate mount and process namespaces, the image as a
 * read-only root, a data folder, a small `/tmp`, no capabilities, and an account that is unknown on the host.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, readFileSync } from "node:fs";
import type { Image } from "./image.ts";

const MOUNTS = `
  set -e
  mount --make-rprivate /
  mount --bind "$ROOT" "$ROOT"
  mount -t proc proc "$ROOT/proc"
  mount -t tmpfs -o mode=1777,size=256m tmpfs "$ROOT/tmp"
  mount -t tmpfs -o mode=755 tmpfs "$ROOT/dev"
  for name in null zero random urandom; do touch "$ROOT/dev/$name"; mount --bind "/dev/$name" "$ROOT/dev/$name"; done
  mkdir -m 1777 "$ROOT/dev/shm"; mount -t tmpfs -o size=256m tmpfs "$ROOT/dev/shm"
  mount --bind "$DATA" "$ROOT/data"
  mount -o remount,bind,ro "$ROOT" "$ROOT"
  exec chroot "$ROOT" "$@"`;

export class Confined {
  readonly #image: Image;
  readonly #child: ChildProcess;
  readonly #env: readonly string[];
  readonly ended: Promise<unknown[]>;
  output = "";

  constructor(image: Image, data: string, settings: Readonly<Record<string, string>>) {
    this.#image = image;
    this.#env = [
      ...image.env,
      ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
    ];
    const [uid = 0, gid = 0] = image.user.split(":").map(Number);
    mkdirSync(data, { recursive: true, mode: 0o700 });
    chownSync(data, uid, gid);
    const namespaces = ["--mount", "--pid", "--ipc", "--fork", "--kill-child"];
    const command = this.#asAccount(image.entrypoint);
    this.#child = spawn("unshare", [...namespaces, "sh", "-c", MOUNTS, "sh", ...command], {
      env: { PATH: process.env["PATH"], ROOT: image.root, DATA: data },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (chunk: Buffer) => (this.output += chunk.toString()));
    }
    this.ended = once(this.#child, "exit");
  }

  /** The outer pid of the first process inside. Undefined before it exists. */
  get pid(): number | undefined {
    const own = this.#child.pid;
    if (own === undefined || this.#child.exitCode !== null) return undefined;
    const text = readFileSync(`/proc/${own}/task/${own}/children`, "utf8").trim();
    return text === "" ? undefined : Number(text.split(" ")[0]);
  }

  /** Runs a command in the same namespaces and as the same account. Returns its status and output. */
  run(command: readonly string[]): { readonly status: number | null; readonly output: string } {
    const target = ["--target", String(this.pid), "--mount", "--pid"];
    const within = ["chroot", this.#image.root, ...this.#asAccount(command)];
    const { status, stdout, stderr } = spawnSync("nsenter", [...target, ...within], {
      encoding: "utf8",
    });
    return { status, output: `${stdout}${stderr}` };
  }

  /** Sends SIGTERM to the first process, like a runtime that stops a container. */
  stop(): void {
    const { pid } = this;
    if (pid !== undefined) process.kill(pid, "SIGTERM");
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #asAccount(command: readonly string[]): string[] {
    const [uid = "", gid = ""] = this.#image.user.split(":");
    const account = ["--reuid", uid, "--regid", gid, "--clear-groups"];
    const rights = ["--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"];
    const env = ["env", "-i", "-C", this.#image.workingDir, ...this.#env];
    return ["setpriv", ...account, ...rights, ...env, ...command];
  }
}
