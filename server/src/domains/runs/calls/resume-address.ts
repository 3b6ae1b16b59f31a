/**
 * The addresses at which steps of a run wait for calls. Each follows from the run and the path of its step, so that it is
 * known before the step is reached; a signature makes it one that nobody can guess.
 */
import {
  type ExecutionPlan,
  type Graph,
  parsePath,
  waitForCall,
} from "#domains/workflows/index.ts";
import { equalBytes, hmac } from "#kernel/access/crypto.ts";
import type { PlatformServices } from "#kernel/contract.ts";
import { publicUrl } from "#kernel/settings.ts";

/** The addresses that expressions see as members of `run`. */
export interface VisibleAddresses {
  /** Of the only step there that waits for a call. */
  readonly resumeUrl?: string;
  /** By the ids of the steps. */
  readonly resumeUrls: Readonly<Record<string, string>>;
}

const keys = new WeakMap<PlatformServices["masterKey"], Buffer>();

function signatureOf({ masterKey }: PlatformServices, runId: string, path: string): Buffer {
  let key = keys.get(masterKey);
  if (!key) keys.set(masterKey, (key = masterKey.derive("resume addresses")));
  return hmac(key, `${runId} ${path}`);
}

/** The address of a step. */
export function resumeUrlOf(services: PlatformServices, runId: string, path: string): string {
  const signature = signatureOf(services, runId, path).toString("base64url");
  const step = Buffer.from(path).toString("base64url");
  return `${publicUrl(services)}/resume/${runId}/${step}.${signature}`;
}

/** The path of the step whose address it is; undefined where the signature is not ours. */
export function readResumeToken(
  services: PlatformServices,
  runId: string,
  token: string,
): string | undefined {
  const [step = "", signature = ""] = token.split(".");
  const path = Buffer.from(step, "base64url").toString();
  const expected = signatureOf(services, runId, path);
  return equalBytes(Buffer.from(signature, "base64url"), expected) ? path : undefined;
}

/** The addresses of one run. */
export class ResumeAddresses {
  readonly #services: PlatformServices;
  readonly #runId: string;
  readonly #graph: Graph;

  /** Those of a run whose steps wait for calls; most runs have none. */
  static of(
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

  /** Those that the step at this path sees: of steps beside it, and around the loops that it is in. */
  at(path: string): VisibleAddresses {
    const urls: [string, string][] = [];
    const addAll = ({ nodes }: Graph, prefix: string): void => {
      for (const { id, type } of nodes) {
        if (type.type !== waitForCall.type) continue;
        urls.push([id, resumeUrlOf(this.#services, this.#runId, prefix + id)]);
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

const ADDRESS = /(\/resume\/run_[0-9a-z]+\/)[\w-]+\.[\w-]+/g;

/** The value with the secret part of addresses left out, for those who read what steps were given and gave. */
export function hideAddresses<T>(value: T): T {
  return hide(value) as T;
}

function hide(value: unknown): unknown {
  if (typeof value === "string") {
    return value.includes("/resume/run_") ? value.replaceAll(ADDRESS, "$1…") : value;
  }
  if (typeof value !== "object" || value === null) return value;
  // What holds no address is not copied.
  if (Array.isArray(value)) {
    const parts = value.map(hide);
    return parts.some((part, index) => part !== value[index]) ? parts : value;
  }
  const entries = Object.entries(value).map(([name, part]) => [name, part, hide(part)] as const);
  if (entries.every(([, before, after]) => before === after)) return value;
  return Object.fromEntries(entries.map(([name, , after]) => [name, after]));
}
