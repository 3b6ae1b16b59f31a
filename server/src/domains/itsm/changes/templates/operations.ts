import { listPage, listQuery } from "#kernel/list/list.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { countedPage, created, noContent, item } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { TemplateId } from "../change.ts";
import { ChangesApprove, ChangesRead } from "../permissions.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";
import {
  ChangeTemplate,
  fields,
  TemplateCreated,
  TemplateDeleted,
  TemplateExists,
  TemplateInput,
  TemplateUpdated,
} from "./template.ts";

const ById = object({ id: TemplateId });
const PATH = "/api/v1/itsm/change-templates";
const example = { params: { id: "ctp_01jzt3n5k8q2x4v6w8y0z2b4d6" } };

export const listTemplates = query({
  id: "change_templates.list",
  route: `GET ${PATH}`,
  summary: "List the templates for standard changes",
  permission: ChangesRead,
  environmentScoped: false,
  query: object(listQuery),
  response: countedPage(ChangeTemplate),
  run: (ctx, { query: question }) =>
    listPage(ctx, store.templateList, question, { toItem: store.toTemplate }),
});

export const createTemplate = command({
  id: "change_templates.create",
  route: `POST ${PATH}`,
  summary: "Make a template for standard changes",
  description:
    "Who makes one approves of all changes made from it: a change of type `standard` keeps to the " +
    "template's impact and plans, and is approved as soon as it is submitted.",
  permission: ChangesApprove,
  environmentScoped: false,
  body: TemplateInput,
  response: created(ChangeTemplate, { location: ({ id }) => `${PATH}/${id}` }),
  emits: [TemplateCreated],
  fails: [TemplateExists],
  example: {
    body: {
      name: "Restart a web server",
      title: "Restart of a web server",
      impact: 3,
      implementationPlan: "Drain it, restart it, put it back.",
      rollbackPlan: "Start the former version.",
    },
  },
  run: (ctx, { body }) => service.create(ctx, body),
});

export const getTemplate = query({
  id: "change_templates.get",
  route: `GET ${PATH}/{id}`,
  summary: "Read a template for standard changes",
  permission: ChangesRead,
  environmentScoped: false,
  params: ById,
  response: item(ChangeTemplate),
  example,
  run: ({ tx }, { params }) => store.get(tx, params.id),
});

export const updateTemplate = command({
  id: "change_templates.update",
  route: `PATCH ${PATH}/{id}`,
  summary: "Change a template for standard changes",
  description:
    "Drafts that were made from it before must follow it: until their impact and plans are the " +
    "template's again, submitting them answers 409 `change_template_unusable`.",
  permission: ChangesApprove,
  environmentScoped: false,
  params: ById,
  body: patch(fields),
  response: item(ChangeTemplate),
  emits: [TemplateUpdated],
  allowNoop: true,
  fails: [TemplateExists],
  example: { ...example, body: { active: false } },
  run: (ctx, { params, body }) => service.update(ctx, params.id, body),
});

export const deleteTemplate = command({
  id: "change_templates.delete",
  route: `DELETE ${PATH}/{id}`,
  summary: "Delete a template for standard changes",
  permission: ChangesApprove,
  environmentScoped: false,
  params: ById,
  response: noContent(),
  emits: [TemplateDeleted],
  example,
  run: (ctx, { params }) => service.remove(ctx, params.id),
});
