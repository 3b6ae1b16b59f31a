import { partitionOfCaller } from "../access/caller.ts";
import type { SqlRow } from "../db/statement.ts";
import { listPage, listQuery, type ListQuery } from "../list/list.ts";
import type { EventType } from "../log/event.ts";
import { command, query } from "../operation/operation.ts";
import type { Operation } from "../contract.ts";
import { countedPage, created, item, noContent, withRevision } from "../operation/response.ts";
import { id, object } from "../schema/schema.ts";
import { equalityConditions } from "./list.ts";
import { type AnyResource, type Verb, VERBS } from "./declaration.ts";
import type { StoredItem } from "./store.ts";

type Parts = Omit<AnyResource, "operations">;

/** The operations list, create, get, update and delete, except those that the declaration omits. */
export function resourceOperations(
  resource: Parts,
  toItem: (row: SqlRow) => StoredItem,
): readonly Operation[] {
  const builders: Record<Verb, () => Operation> = {
    list: () => listOperation(resource, toItem),
    create: () => createOperation(resource),
    get: () => getOperation(resource),
    update: () => updateOperation(resource),
    delete: () => deleteOperation(resource),
  };
  const { operations } = resource.declaration;
  return VERBS.filter((verb) => operations?.[verb] !== false).map((verb) => builders[verb]());
}

function listOperation(
  { declaration, list }: Parts,
  toItem: (row: SqlRow) => StoredItem,
): Operation {
  const { filters = {}, conditions } = declaration.list;
  return query({
    ...operationBase(declaration, "list", `List ${declaration.docs.nouns}`),
    route: `GET ${declaration.path}`,
    query: object({ ...listQuery, ...filters }),
    response: countedPage(withRevision(declaration.schema)),
    run: (ctx, { query: input }) =>
      listPage(ctx, list, input as ListQuery, {
        conditions: conditions?.(ctx, input) ?? equalityConditions(list, filters, input),
        toItem,
      }),
  });
}

function createOperation({ declaration, create, events }: Parts): Operation {
  const { path, schema, docs, limit, unique, prepare } = declaration;
  const { fails = [], ...rest } = operationBase(declaration, "create", `Create ${docs.noun}`);
  return command({
    ...rest,
    route: `POST ${path}`,
    body: declaration.input,
    response: created(schema, { location: (made) => `${path}/${(made as StoredItem).id}` }),
    emits: [events.created, ...(declaration.emits?.create ?? [])] as readonly EventType[],
    fails: [...fails, ...(unique ? [unique] : []), ...(limit ? [limit.failure] : [])],
    example: { body: docs.examples.input },
    prepare: async (platform, input, caller) => prepare?.(platform, input.body, caller, undefined),
    run: (ctx, { body }, prepared) => create(ctx, body, prepared),
  });
}

function getOperation({ declaration, store }: Parts): Operation {
  return query({
    ...operationBase(declaration, "get", `Get ${declaration.docs.noun}`),
    ...itemRoute(declaration),
    route: `GET ${declaration.path}/{id}`,
    response: item(declaration.schema),
    run: ({ tx }, { params }) => store.get(tx, params.id),
  });
}

function updateOperation({ declaration, store, update, events }: Parts): Operation {
  const { path, schema, docs, unique, prepare } = declaration;
  const { fails = [], ...rest } = operationBase(declaration, "update", `Update ${docs.noun}`);
  const { params, example } = itemRoute(declaration);
  return command({
    ...rest,
    route: `PATCH ${path}/{id}`,
    params,
    body: declaration.change,
    response: item(schema),
    emits: [events.updated, ...(declaration.emits?.update ?? [])] as readonly EventType[],
    fails: [...fails, ...(unique ? [unique] : [])],
    allowNoop: true,
    example: { ...example, body: docs.examples.change },
    async prepare(platform, input, caller) {
      if (!prepare) return {};
      const before = await platform.db.read(partitionOfCaller(caller), (tx) =>
        store.get(tx, input.params.id),
      );
      const prepared = await prepare(platform, input.body, caller, before);
      return prepared === undefined ? {} : { prepared, revision: before.revision };
    },
    run: (ctx, input, preparation) => update(ctx, input.params.id, input.body, preparation),
  });
}

function deleteOperation({ declaration, remove, events }: Parts): Operation {
  return command({
    ...operationBase(declaration, "delete", `Delete ${declaration.docs.noun}`),
    ...itemRoute(declaration),
    route: `DELETE ${declaration.path}/{id}`,
    response: noContent(),
    emits: [events.deleted, ...(declaration.emits?.delete ?? [])] as readonly EventType[],
    run: (ctx, { params }) => remove(ctx, params.id),
  });
}

type Declaration = AnyResource["declaration"];

function operationBase(declaration: Declaration, verb: Verb, summary: string) {
  const { plural, permissions, environmentScoped, operations, effect } = declaration;
  const overrides = operations?.[verb];
  return {
    id: `${plural}.${verb}` as const,
    summary,
    permission: verb === "list" || verb === "get" ? permissions.read : permissions.write,
    ...((verb === "create" || verb === "update") && { effect }),
    ...(environmentScoped !== undefined && { environmentScoped }),
    ...overrides,
  };
}

function itemRoute({ idPrefix, docs }: Declaration) {
  return {
    params: object({ id: id(idPrefix) }),
    example: { params: { id: docs.examples.id } },
  };
}
