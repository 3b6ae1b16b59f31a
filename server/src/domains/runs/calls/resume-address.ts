/**
 * The addresses at which steps wait for calls. An address is derived from the run and the path of the step, so it is
 * known before the step starts. A signature prevents guessing.
 */
import {
  type ExecutionPlan,
  type Graph,
  parsePath,
  waitForForm,
} from "#domains/workflows/index.ts";
import { equalBytes, hmac } from "#kernel/access/crypto.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import { mapJson } from "#kernel/schema/map-json.ts";
import { publicUrl } from "#kernel/settings.ts";

/** Addresses that expressions see as fields of `run`. */
export interface VisibleAddresses {
  /** The only step in this scope that waits for a call. */
  readonly resumeUrl?: string;
  /** Addresses by step id. */
  readonly resumeUrls: Readonly<Record<string, string>>;
}

const keys = new WeakMap<PlatformServices["masterKey"], Buffer>();

function signAddress({ masterKey }: PlatformServices, runId: string, path: string): Buffer {
  let key = keys.get(masterKey);
  if (!key) keys.set(masterKey, (key = masterKey.derive("resume addresses")));
  return hmac(key, `${runId} ${path}`);
}

/** The address of a step, without the host. */
function makeResumePath(services: PlatformServices, runId: string, path: string): string {
  const signature = signAddress(services, runId, path).toString("base64url");
  const step = Buffer.from(path).toString("base64url");
  return `/resume/${runId}/${step}.${signature}`;
}

/** The address of the page of a form step, without the host, because a server can have several hosts. */
export function makeFormPath(services: PlatformServices, runId: string, path: string): string {
  return `${makeResumePath(services, runId, path)}/form`;
}

/** The path of the step that the token names. Undefined if the signature is invalid. */
export function readResumeToken(
  services: PlatformServices,
  runId: string,
  token: string,
): string | undefined {
  const [step = "", signature = ""] = token.split(".");
  const path = Buffer.from(step, "base64url").toString();
  const expected = signAddress(services, runId, path);
  return equalBytes(Buffer.from(signature, "base64url"), expected) ? path : undefined;
}

/** The addresses of one run. */
export class ResumeAddresses {
  readonly #services: PlatformServices;
  readonly #runId: string;
  readonly #graph: Graph;

  /** Creates the addresses of a run with steps waiting for calls. Returns undefined for other runs. */
  static open(
    services: PlatformServices,
    runId: string,
    { graph, takesCalls }: ExecutionPlan,
  ): ResumeAddresses | undefined {
    return takesCalls ? new ResumeAddresses(services, runId, graph) : undefined;
  }

  private constructor(services: PlatformServices, runId: string, graph: Graph) {
    this.#services = services;
    this.#runId = runId;
    this.#graph = graph;
  }

  /** Returns the addresses visible at a path: those in its graph and in the surrounding loops. */
  at(path: string): VisibleAddresses {
    const urls: [string, string][] = [];
    const addAll = ({ nodes }: Graph, prefix: string): void => {
      for (const { id, type } of nodes) {
        if (!type.takesCalls) continue;
        const makePath = type.type === waitForForm.type ? makeFormPath : makeResumePath;
        const address = makePath(this.#services, this.#runId, prefix + id);
        urls.push([id, `${publicUrl(this.#services)}${address}`]);
      }
    };
    addAll(this.#graph, "");
    let graph: Graph | undefined = this.#graph;
    for (const { id, path: loop, index } of parsePath(path).iterations) {
      graph = graph?.byId.get(id)?.body;
      if (graph) addAll(graph, `${loop}[${index}].`);
    }
    const [only, ...others] = urls;
    return {
      ...(only && others.length === 0 && { resumeUrl: only[1] }),
      resumeUrls: Object.fromEntries(urls),
    };
  }
}

const WHOLE_ADDRESS = /https?:\/\/[^\s"'<>]*?\/resume\/run_[0-9a-z]+\/[\w-]+\.[\w-]+/g;

/**
 * Replaces addresses by a placeholder. Fixtures are stored outside the server, and addresses differ between servers.
 */
export function maskAddresses<T>(value: T): T {
  const mask = (leaf: unknown) =>
    typeof leaf === "string" ? leaf.replaceAll(WHOLE_ADDRESS, "[resume address]") : leaf;
  // Only strings are replaced, so the type does not change.
  return holdsAddress(value) ? (mapJson(value, mask) as T) : value;
}

const MARK = "/resume/run_";
const ADDRESS = /(\/resume\/run_[0-9a-z]+\/)[\w-]+\.[\w-]+/g;

/** Removes the secret part of addresses, for readers of step inputs and outputs. */
export function hideAddresses<T>(value: T): T {
  // Only strings are replaced, so the type does not change.
  return holdsAddress(value) ? (mapJson(value, hideInText) as T) : value;
}

/** Checks without copying, because few values contain an address. */
function holdsAddress(value: unknown): boolean {
  if (typeof value === "string") return value.includes(MARK);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsAddress);
  for (const name in value) {
    if (holdsAddress((value as Readonly<Record<string, unknown>>)[name])) return true;
  }
  return false;
}

function hideInText(leaf: unknown): unknown {
  return typeof leaf === "string" ? leaf.replaceAll(ADDRESS, "$1…") : leaf;
}
