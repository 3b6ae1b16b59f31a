/** References of an app to tables, queries, connectors, workflows and artifacts, checked at deployment. */
import { findStartable } from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { type FieldError, Failure } from "#kernel/operation/failure.ts";
import type { Action } from "../definition/action.ts";
import { actionsOf, walkComponents } from "../definition/component.ts";
import {
  dataOfResponse,
  type CallOperation,
  operationCallerFor,
} from "#kernel/operation/call-operation.ts";
import type { Snapshot } from "./deployment.ts";

/** The fields that contain references, with the kind of the target. */
const REFERENCE_FIELDS = {
  table: "table",
  queryId: "query",
  connectorId: "connector",
  workflowId: "workflow",
  artifactId: "artifact",
  reportId: "report",
} as const;
type Kind = (typeof REFERENCE_FIELDS)[keyof typeof REFERENCE_FIELDS];

interface Reference {
  readonly kind: Kind;
  readonly name: string;
  readonly path: string;
}

/** Field errors for references that are missing in the caller's environment, or hidden from the caller. */
export async function findMissingReferences(
  platform: Platform,
  caller: Caller,
  snapshot: Pick<Snapshot, "pages" | "dataSources">,
): Promise<FieldError[]> {
  const perform = operationCallerFor(platform, caller, "/apps/deploy");
  const known = new Map<string, string | undefined>();
  const errors: FieldError[] = [];
  for (const { kind, name, path } of referencesOf(snapshot)) {
    const key = `${kind} ${name}`;
    if (!known.has(key)) {
      const lookup =
        kind === "workflow"
          ? findWorkflowError(platform, caller, name)
          : findReferenceError(perform, kind, name);
      known.set(key, await lookup);
    }
    const reason = known.get(key);
    if (reason !== undefined)
      errors.push({ path, message: `refers to the ${kind} ${name}, ${reason}` });
  }
  return errors;
}

function referencesOf({
  pages,
  dataSources,
}: Pick<Snapshot, "pages" | "dataSources">): Reference[] {
  const sourceReferences = dataSources.flatMap(({ config }, at) =>
    referencesIn(config, `/dataSources/${at}/config`),
  );
  const pageReferences = pages.flatMap(({ components }, at) =>
    [...walkComponents(components)].flatMap((placed) =>
      actionsOf(placed.component).flatMap(({ pointer, action }) =>
        // It was validated when it was saved.
        actionReferences(action as Action, `/pages/${at}/components${placed.pointer}${pointer}`),
      ),
    ),
  );
  return [...sourceReferences, ...pageReferences];
}

function actionReferences(action: Action, at: string): Reference[] {
  const next = (action.then ?? []).flatMap((then, index) =>
    actionReferences(then, `${at}/then/${index}`),
  );
  return [...referencesIn(action, at), ...next];
}

function referencesIn(value: Readonly<Record<string, unknown>>, at: string): Reference[] {
  return Object.entries(REFERENCE_FIELDS).flatMap(([field, kind]) => {
    const name = value[field];
    return typeof name === "string" ? [{ kind, name, path: `${at}/${field}` }] : [];
  });
}

const LOOKUPS: Readonly<Record<Exclude<Kind, "workflow">, readonly [string, string]>> = {
  table: ["tables.get", "slug"],
  query: ["queries.get", "id"],
  connector: ["connectors.get", "id"],
  artifact: ["artifacts.get", "id"],
  report: ["reports.get", "id"],
};

async function findReferenceError(
  perform: CallOperation,
  kind: Exclude<Kind, "workflow">,
  name: string,
): Promise<string | undefined> {
  const [operation, param] = LOOKUPS[kind];
  try {
    const found = dataOfResponse(await perform(operation, { params: { [param]: name } }));
    const { status } = Object(found) as { readonly status?: unknown };
    return kind === "artifact" && status === "disabled" ? "which is disabled" : undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.type.status === 403) return "which you can't see";
    return "which does not exist in this environment";
  }
}

async function findWorkflowError(
  platform: Platform,
  { workspace, environment }: Caller,
  name: string,
): Promise<string | undefined> {
  if (!workspace) throw new Error("An app belongs to a workspace.");
  const found = await platform.db.read({ workspace: workspace.key, environment }, (tx) =>
    findStartable(tx, name, environment),
  );
  if (!found || found.archived) return "which does not exist in this environment";
  return found.deployed ? undefined : `which is not deployed in ${environment}`;
}
