/** The place that requests go to: the session's cookie says who, the workspace and the environment say where. */
import { RUN_ENVIRONMENT } from "@millrace/client/enums";

export const ENVIRONMENTS = RUN_ENVIRONMENT;
export type Environment = (typeof ENVIRONMENTS)[number];

export interface Place {
  readonly workspace: string | undefined;
  readonly environment: Environment;
}

/** The path under which a proxy serves us, without the slash at its end. */
export const BASE_PATH =
  typeof document === "undefined" ? "" : new URL(document.baseURI).pathname.replace(/\/$/, "");

const WORKSPACE = "millrace.workspace";
const ENVIRONMENT = "millrace.environment";

/** A link may name both (`?workspace=…&environment=…`), so that it leads everybody to the same place. */
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

/** Everything cached is of one place, so another one begins with a fresh page. */
export function switchPlace(to: Partial<Place>, path = `${BASE_PATH}/`): void {
  const { workspace, environment } = { ...place, ...to };
  if (workspace !== undefined) localStorage.setItem(WORKSPACE, workspace);
  localStorage.setItem(ENVIRONMENT, environment);
  location.assign(path);
}

/** Forgets the workspace: of one that somebody has left, or at the end of a session. */
export function forgetPlace(): void {
  localStorage.removeItem(WORKSPACE);
}

/** A path of ours that an address may lead back to. `//elsewhere` and `https://elsewhere` are other hosts. */
export function toLocalPath(from: string | undefined, origin: string): string | undefined {
  if (from === undefined || !/^\/(?![/\\])/.test(from)) return undefined;
  const url = URL.parse(from, origin);
  // `/a/..//b.example` resolves to a path that would be read as the name of a host.
  if (url?.origin !== origin || url.pathname.startsWith("//")) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}

/** The path of the same in another environment: runs and what follows from them are of one, so their list is shown. */
export function toSharedPath(path: string): string {
  const [, first = ""] = path.slice(BASE_PATH.length).split("/", 2);
  return /^(runs|causes|tickets|notifications)$/.test(first)
    ? `${BASE_PATH}/${first === "causes" ? "runs" : first === "tickets" ? "" : first}`
    : path;
}
