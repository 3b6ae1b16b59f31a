/** What an app refers to outside of itself, and whether it is there. */
import { findStartable } from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { type FieldError, Failure } from "#kernel/operation/failure.ts";
import type { Action } from "../definition/action.ts";
import { actionsOf, componentsIn } from "../definition/component.ts";
import { dataOfResponse, type CallOperation, operationCallerFor } from "../call-operation.ts";
import type { Snapshot } from "./deployment.ts";

/** The fields that name something, and what it is. */
const NAMING = {
  table: "table",
  queryId: "query",
  connectorId: "connector",
  workflowId: "workflow",
  artifactId: "artifact",
} as const;
type Kind = (typeof NAMING)[keyof typeof NAMING];

interface Reference {
  readonly kind: Kind;
  readonly name: string;
  readonly path: string;
}

/** Everything that is not there in the caller's environment, or not to be seen by who deploys it. */
export async function findMissingReferences(
  platform: Platform,
  caller: Caller,
  snapshot: Pick<Snapshot, "pages" | "dataSources">,
): Promise<FieldError[]> {
  const perform = operationCallerFor(platform, caller, "/apps/deploy");
  const known = new Map<string, string | undefined>();
  const faults: FieldError[] = [];
  for (const { kind, name, path } of referencesOf(snapshot)) {
    const key = `${kind} ${name}`;
    if (!known.has(key)) {
      const look =
        kind === "workflow" ? workflowFault(platform, caller, name) : fault(perform, kind, name);
      known.set(key, await look);
    }
    const wrong = known.get(key);
    if (wrong !== undefined) faults.push({ path, message: `names the ${kind} ${name}, ${wrong}` });
  }
  return faults;
}

function referencesOf({
  pages,
  dataSources,
}: Pick<Snapshot, "pages" | "dataSources">): Reference[] {
  const ofSources = dataSources.flatMap(({ config }, at) =>
    namedIn(config, `/dataSources/${at}/config`),
  );
  const ofPages = pages.flatMap(({ components }, at) =>
    [...componentsIn(components)].flatMap((placed) =>
      actionsOf(placed.component).flatMap(({ pointer, action }) =>
        // It was checked when it was saved.
        ofAction(action as Action, `/pages/${at}/components${placed.pointer}${pointer}`),
      ),
    ),
  );
  return [...ofSources, ...ofPages];
}

function ofAction(action: Action, at: string): Reference[] {
  const next = (action.then ?? []).flatMap((then, index) => ofAction(then, `${at}/then/${index}`));
  return [...namedIn(action, at), ...next];
}

function namedIn(value: Readonly<Record<string, unknown>>, at: string): Reference[] {
  return Object.entries(NAMING).flatMap(([field, kind]) => {
    const name = value[field];
    return typeof name === "string" ? [{ kind, name, path: `${at}/${field}` }] : [];
  });
}

const LOOKING: Readonly<Record<Exclude<Kind, "workflow">, readonly [string, string]>> = {
  table: ["tables.get", "slug"],
  query: ["queries.get", "id"],
  connector: ["connectors.get", "id"],
  artifact: ["artifacts.get", "id"],
};

async function fault(
  perform: CallOperation,
  kind: Exclude<Kind, "workflow">,
  name: string,
): Promise<string | undefined> {
  const [operation, param] = LOOKING[kind];
  try {
    const found = dataOfResponse(await perform(operation, { params: { [param]: name } }));
    const { status } = Object(found) as { readonly status?: unknown };
    return kind === "artifact" && status === "disabled" ? "which is disabled" : undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.type.status === 403) return "which you may not see";
    return "which does not exist here";
  }
}

async function workflowFault(
  platform: Platform,
  { workspace, environment }: Caller,
  name: string,
): Promise<string | undefined> {
  if (!workspace) throw new Error("An app belongs to a workspace.");
  const found = await platform.db.read({ workspace: workspace.key, environment }, (tx) =>
    findStartable(tx, name, environment),
  );
  if (!found || found.archived) return "which does not exist here";
  return found.deployed ? undefined : `which is not deployed in ${environment}`;
}
