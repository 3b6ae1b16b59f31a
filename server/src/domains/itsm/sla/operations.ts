import Type from "typebox";
import { TICKET_KINDS } from "../tickets/index.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { SlaPolicyCreated, SlaPolicyDeleted, SlaPolicyUpdated } from "./policy.ts";
import { SlaRead, SlaWrite } from "./permissions.ts";
import { toPolicyInput, NewPolicy, PolicyChange, PolicyId, SlaPolicy } from "./policy.ts";
import * as service from "./service.ts";
import { simulate, Simulation, SimulationBody } from "./simulation.ts";
import * as store from "./store.ts";

const ById = object({ id: PolicyId });
const example = { params: { id: "slp_01jzt3n5k8q2x4v6w8y0z2b4d6" } };
const LIST = "sla policies, newest first";
/** Greater than every id. */
const AFTER_ALL = "~";
/** Policies are the same in all environments; their clocks are not. */
const shared = { environmentScoped: false };

export const listPolicies = query({
  id: "sla.list",
  route: "GET /api/v1/itsm/sla-policies",
  summary: "List SLA policies, newest first",
  permission: SlaRead,
  ...shared,
  query: object({ ...pageQuery, entity: Type.Optional(Type.Enum([...TICKET_KINDS])) }),
  response: page(SlaPolicy),
  async run({ tx, services: { cursors } }, { query: { limit, after, entity } }) {
    const [before = AFTER_ALL] = after === undefined ? [] : cursors.decode(LIST, after);
    const rows = await store.list(tx, { before: String(before), limit: limit + 1, entity });
    return toPage(
      rows,
      limit,
      (policy) => policy,
      ({ id }) => cursors.encode(LIST, [id]),
    );
  },
});

export const createPolicy = command({
  id: "sla.create",
  route: "POST /api/v1/itsm/sla-policies",
  summary: "Make an SLA policy",
  description:
    "It applies to open tickets at once, counted from when each was made. Without a `calendar` time " +
    "is counted around the clock.",
  permission: SlaWrite,
  ...shared,
  body: NewPolicy,
  response: created(SlaPolicy, { location: ({ id }) => `/api/v1/itsm/sla-policies/${id}` }),
  emits: [SlaPolicyCreated],
  fails: [service.TooManyPolicies],
  example: {
    body: {
      name: "Critical incidents",
      entity: "incident",
      conditions: { priority: 1 },
      targets: [
        { metric: "response", minutes: 15 },
        { metric: "resolution", minutes: 240 },
      ],
      calendar: {
        timezone: "Europe/Berlin",
        hours: [{ days: [1, 2, 3, 4, 5], from: "08:00", to: "18:00" }],
        holidays: ["2026-12-25"],
      },
      pauseOn: ["on_hold"],
    },
  },
  run: (ctx, { body }) => service.create(ctx, toPolicyInput(body)),
});

export const getPolicy = query({
  id: "sla.get",
  route: "GET /api/v1/itsm/sla-policies/{id}",
  summary: "Read an SLA policy",
  permission: SlaRead,
  ...shared,
  params: ById,
  response: item(SlaPolicy),
  example,
  run: ({ tx }, { params }) => store.get(tx, params.id),
});

export const updatePolicy = command({
  id: "sla.update",
  route: "PATCH /api/v1/itsm/sla-policies/{id}",
  summary: "Change an SLA policy, or switch it on or off",
  description:
    "The clocks of open tickets are worked out anew from the log. What is no longer late under the new " +
    "target may become late again.",
  permission: SlaWrite,
  ...shared,
  params: ById,
  body: PolicyChange,
  response: item(SlaPolicy),
  emits: [SlaPolicyUpdated],
  allowNoop: true,
  example: { ...example, body: { targets: [{ metric: "resolution", minutes: 480 }] } },
  run: (ctx, { params, body }) => service.update(ctx, params.id, body),
});

export const deletePolicy = command({
  id: "sla.delete",
  route: "DELETE /api/v1/itsm/sla-policies/{id}",
  summary: "Delete an SLA policy",
  description: "Its clocks that still go are cancelled; those of finished work are kept.",
  permission: SlaWrite,
  ...shared,
  params: ById,
  response: noContent(),
  emits: [SlaPolicyDeleted],
  example,
  run: (ctx, { params }) => service.remove(ctx, params.id),
});

export const simulatePolicy = query({
  id: "sla.simulate",
  route: "POST /api/v1/itsm/sla-policies/{id}/simulate",
  summary: "See what a policy would have made of past tickets",
  description:
    "Of the tickets that were made between `from` and `to` (the last 30 days unless given), from the " +
    "log. `policy` holds what should be different from the policy as it is.",
  permission: SlaRead,
  params: ById,
  body: SimulationBody,
  bodyOptional: true,
  response: item(Simulation),
  example: {
    ...example,
    body: { limit: 500, policy: { targets: [{ metric: "resolution", minutes: 120 }] } },
  },
  run: async (ctx, { params, body }) => simulate(ctx, await store.get(ctx.tx, params.id), body),
});
