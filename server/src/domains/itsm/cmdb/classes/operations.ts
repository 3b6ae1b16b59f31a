import Type from "typebox";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page, withRevision } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { ClassCreated, ClassDeleted, ClassUpdated } from "../events.ts";
import { CmdbRead, CmdbWrite } from "../permissions.ts";
import {
  ClassExists,
  ClassInUse,
  ClassName,
  classFields,
  ItemClass,
  TooManyClasses,
} from "./class.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const ByName = object({ name: ClassName });
const example = { params: { name: "virtual_machine" } };
const LIST = "cmdb classes by name";

const listClasses = query({
  id: "cmdb.list_classes",
  route: "GET /api/v1/cmdb/classes",
  summary: "List the classes of configuration items by name, built-in ones included",
  permission: CmdbRead,
  query: object(pageQuery),
  response: page(withRevision(ItemClass)),
  async run({ tx, services: { cursors } }, { query: { limit, after } }) {
    const [from] = after === undefined ? [] : cursors.decode(LIST, after);
    const all = await store.listAll(tx);
    const rest = typeof from === "string" ? all.filter(({ name }) => name > from) : all;
    return toPage(
      rest,
      limit,
      (row) => row,
      ({ name }) => cursors.encode(LIST, [name]),
    );
  },
});

const createClass = command({
  id: "cmdb.create_class",
  effect: "ordinary",
  route: "POST /api/v1/cmdb/classes",
  summary: "Declare a class of configuration items",
  description:
    "Its schema is what the attributes of its items must be. A built-in class may be declared too, " +
    "so that its attributes are free no longer. What `extends` names gives it its attributes.",
  permission: CmdbWrite,
  body: object({
    name: ClassName,
    label: Type.Optional(classFields.label),
    description: Type.Optional(classFields.description),
    attributes: Type.Optional(classFields.attributes),
    extends: Type.Optional(classFields.extends),
  }),
  response: created(ItemClass, { location: ({ name }) => `/api/v1/cmdb/classes/${name}` }),
  emits: [ClassCreated],
  fails: [ClassExists, TooManyClasses],
  example: {
    body: {
      name: "virtual_machine",
      label: "Virtual machine",
      extends: "server",
      attributes: {
        cpus: { type: "integer", minimum: 1, required: true },
        os: { type: "string", enum: ["linux", "windows"] },
        address: { type: "string", format: "ipv4" },
      },
    },
  },
  run: (ctx, { body }) =>
    service.create(ctx, { ...body, attributes: body.attributes ?? { type: "object" } }),
});

const getClass = query({
  id: "cmdb.get_class",
  route: "GET /api/v1/cmdb/classes/{name}",
  summary: "Read a class of configuration items",
  permission: CmdbRead,
  params: ByName,
  response: item(ItemClass),
  example,
  async run({ tx }, { params }) {
    const found = await store.find(tx, params.name);
    if (!found) throw new Failure(NotFound);
    return found;
  },
});

const updateClass = command({
  id: "cmdb.update_class",
  effect: "ordinary",
  route: "PATCH /api/v1/cmdb/classes/{name}",
  summary: "Change a class of configuration items",
  description:
    "Items that are there keep their attributes, which are checked when somebody next changes them. " +
    "A built-in class that nobody declared has nothing to change.",
  permission: CmdbWrite,
  params: ByName,
  body: patch(classFields),
  response: item(ItemClass),
  emits: [ClassUpdated],
  allowNoop: true,
  example: { ...example, body: { label: "VM" } },
  run: (ctx, { params, body }) => service.update(ctx, params.name, body),
});

const deleteClass = command({
  id: "cmdb.delete_class",
  route: "DELETE /api/v1/cmdb/classes/{name}",
  summary: "Delete a class of configuration items",
  description:
    "Not while there are items of it. A built-in class becomes what it was, with its items.",
  permission: CmdbWrite,
  params: ByName,
  response: noContent(),
  emits: [ClassDeleted],
  fails: [ClassInUse],
  example,
  run: (ctx, { params }) => service.remove(ctx, params.name),
});

export const classOperations = [listClasses, createClass, getClass, updateClass, deleteClass];
