import Type from "typebox";
import { changeEvent, diffResource } from "#kernel/log/event.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { pageOfItems, pageQuery } from "#kernel/operation/pagination.ts";
import { item, page } from "#kernel/operation/response.ts";
import { object, patch } from "#kernel/schema/schema.ts";
import { TICKET_KINDS } from "./kind.ts";
import {
  DeskRead,
  DeskWrite,
  readTicketSettings,
  settingsFields,
  TicketSettings,
} from "./settings.ts";
import { ticketKinds } from "./ticket.ts";

const PATH = "/api/v1/itsm/settings";

export const DeskSettingsUpdated = changeEvent("audit.desk_settings.updated", {
  resource: "desk_settings",
  summary: "The desk settings were changed.",
  data: TicketSettings,
});

export const getDeskSettings = query({
  id: "desk.get_settings",
  route: `GET ${PATH}`,
  summary: "Get the desk settings",
  permission: DeskRead,
  response: item(TicketSettings),
  run: ({ tx }) => readTicketSettings(tx),
});

const SAVE = `
  insert into desk_settings (priority_matrix, auto_close_days, revision, updated_at)
  values ($1, $2, $3, $4)
  on conflict (workspace_id) do update
     set priority_matrix = excluded.priority_matrix, auto_close_days = excluded.auto_close_days,
         revision = excluded.revision, updated_at = excluded.updated_at`;

export const updateDeskSettings = command({
  id: "desk.update_settings",
  effect: "ordinary",
  route: `PATCH ${PATH}`,
  summary: "Update the desk settings",
  description:
    "A new priority matrix applies to tickets that are created or changed afterwards. Other tickets keep their priority.",
  permission: DeskWrite,
  body: patch(settingsFields),
  response: item(TicketSettings),
  emits: [DeskSettingsUpdated],
  allowNoop: true,
  example: { body: { autoCloseDays: 14 } },
  async run(ctx, { body }) {
    // The first change has no row to lock, but concurrent changes must be serialised.
    await ctx.send("select pg_advisory_xact_lock(hashtext('desk_settings' || $1))", [
      ctx.workspace.key,
    ]);
    const before = await readTicketSettings(ctx.tx);
    ctx.expectRevision(before.revision);
    const after = { ...before, ...body };
    const { changes } = diffResource(before, after);
    if (changes.length === 0) return before;
    const updatedAt = ctx.now.toISOString();
    const updated = { ...after, updatedAt, revision: before.revision + 1 };
    const { priorityMatrix, autoCloseDays, revision } = updated;
    await ctx.send(SAVE, [JSON.stringify(priorityMatrix), autoCloseDays, revision, ctx.now]);
    const change = diffResource(settingsEventData(before), settingsEventData(updated));
    ctx.emit(DeskSettingsUpdated, { id: ctx.workspace.id }, change);
    return updated;
  },
});

function settingsEventData({ revision: _, ...data }: TicketSettings) {
  return data;
}

const StateMachine = Type.Object(
  {
    kind: Type.Enum([...TICKET_KINDS]),
    initial: Type.String(),
    states: Type.Array(Type.String()),
    ended: Type.Array(Type.String(), { description: "Final states of the ticket" }),
    transitions: Type.Array(
      Type.Object({
        action: Type.String(),
        from: Type.Array(Type.String()),
        to: Type.String(),
        automatic: Type.Boolean({
          description: "Part of another action; not available as an operation",
        }),
      }),
    ),
  },
  { title: "StateMachine" },
);

export const listStateMachines = query({
  id: "desk.list_state_machines",
  route: "GET /api/v1/itsm/state-machines",
  summary: "List the states and transitions of each ticket kind",
  description: "Transitions that are not listed return 409 with the allowed ones.",
  permission: DeskRead,
  query: object(pageQuery),
  response: page(StateMachine),
  run: async ({ services }, { query: asked }) =>
    pageOfItems(services, "state machines", asked, {
      items: ticketKinds(services).map(
        ({ kind, machine: { states, finalStates, transitions } }) => ({
          kind,
          initial: states[0] ?? "",
          states: [...states],
          ended: [...finalStates],
          transitions: transitions.map(({ action, from, to, automatic = false }) => ({
            action,
            from: [...from],
            to,
            automatic,
          })),
        }),
      ),
      keyOf: ({ kind }) => kind,
    }),
});
