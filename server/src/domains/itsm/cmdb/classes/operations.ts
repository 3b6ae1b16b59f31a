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
  summary: "List classes of configuration items by name",
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
  summary: "Create a class of configuration items",
  description:
    "The attributes of items must match its schema. You can also declare a built-in class to restrict its attributes. The class inherits the attributes of the class in `extends`.",
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
  summary: "Get a class of configuration items",
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
  summary: "Update a class of configuration items",
  description:
    "Existing items keep their attributes. They are validated at their next change. A built-in class must be declared before you can update it.",
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
  description: "Fails if the class has items. A built-in class is reset and keeps its items.",
  permission: CmdbWrite,
  params: ByName,
  response: noContent(),
  emits: [ClassDeleted],
  fails: [ClassInUse],
  example,
  run: (ctx, { params }) => service.remove(ctx, params.name),
});

export const classOperations = [listClasses, createClass, getClass, updateClass, deleteClass];
