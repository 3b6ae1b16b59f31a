/** The workspace and environment of requests; the session cookie identifies the user. */
import { RUN_ENVIRONMENT } from "@millrace/client/enums";

export const ENVIRONMENTS = RUN_ENVIRONMENT;
export type Environment = (typeof ENVIRONMENTS)[number];

export interface Place {
  readonly workspace: string | undefined;
  readonly environment: Environment;
}

/** The base path behind a proxy, without trailing slash. */
export const BASE_PATH =
  typeof document === "undefined" ? "" : new URL(document.baseURI).pathname.replace(/\/$/, "");

const WORKSPACE = "millrace.workspace";
const ENVIRONMENT = "millrace.environment";

/** Links can contain both (`?workspace=…&environment=…`), so that they lead all users to the same place. */
function readPlace(): Place {
  if (typeof location === "undefined") return { workspace: undefined, environment: "production" };
  const address = new URL(location.href);
  for (const [name, key] of [
    ["workspace", WORKSPACE],
    ["environment", ENVIRONMENT],
  ] as const) {
    const value = address.searchParams.get(name);
    if (value) localStorage.setItem(key, value);
    address.searchParams.delete(name);
  }
  if (address.href !== location.href) history.replaceState(history.state, "", address);
  const stored = localStorage.getItem(ENVIRONMENT);
  return {
    workspace: localStorage.getItem(WORKSPACE) ?? undefined,
    environment: ENVIRONMENTS.find((environment) => environment === stored) ?? "production",
  };
}

export const place: Place = readPlace();

/** The cache belongs to one workspace and environment, so switching reloads the page. */
export function switchPlace(to: Partial<Place>, path = `${BASE_PATH}/`): void {
  const { workspace, environment } = { ...place, ...to };
  if (workspace !== undefined) localStorage.setItem(WORKSPACE, workspace);
  localStorage.setItem(ENVIRONMENT, environment);
  location.assign(path);
}

/** Forgets the workspace, after the user left it or signed out. */
export function forgetPlace(): void {
  localStorage.removeItem(WORKSPACE);
}

/** Returns a local path that is safe to redirect to. `//elsewhere` and `https://elsewhere` are other hosts. */
export function toLocalPath(from: string | undefined, origin: string): string | undefined {
  if (from === undefined || !/^\/(?![/\\])/.test(from)) return undefined;
  const url = URL.parse(from, origin);
  // `/a/..//b.example` resolves to a path that would be interpreted as a host name.
  if (url?.origin !== origin || url.pathname.startsWith("//")) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}

/** Returns the equivalent path for another environment: runs belong to one environment, so their list is returned. */
export function toSharedPath(path: string): string {
  const [, first = ""] = path.slice(BASE_PATH.length).split("/", 2);
  return /^(runs|causes|tickets|notifications)$/.test(first)
    ? `${BASE_PATH}/${first === "causes" ? "runs" : first === "tickets" ? "" : first}`
    : path;
}
