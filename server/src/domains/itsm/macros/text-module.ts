/** Reusable texts for agents, with placeholders for ticket data. */
import Type from "typebox";
import type { ReadContext } from "#kernel/contract.ts";
import { failure, invalidField } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { resource } from "#kernel/resource/resource.ts";
import { id, line, nullable, object, patch, Time } from "#kernel/schema/schema.ts";
import { findPersonNames } from "../contacts/index.ts";
import { readTicketItem, type TicketItem } from "../queue/index.ts";
import { assertReferencesExist } from "../tickets/index.ts";
import { MacrosRun, MacrosWrite } from "./permissions.ts";
import { visibleToTeams } from "./team-visibility.ts";

const textModuleFields = {
  name: line(100),
  keyword: Type.String({
    pattern: "^[a-z0-9][a-z0-9_-]{0,39}$",
    description: "Shortcut to insert the text",
  }),
  body: Type.String({
    minLength: 1,
    maxLength: 20_000,
    description:
      "Text with placeholders: `{{ticket.number}}`, `{{ticket.title}}`, `{{ticket.state}}`, `{{ticket.fields.<key>}}`, `{{caller.name}}`, `{{caller.firstName}}`, `{{agent.name}}`, `{{agent.firstName}}`, `{{team.name}}`",
  }),
  teamId: nullable(id("tem", "The team that can use it. Null: all teams")),
};

const TextModule = Type.Object(
  {
    id: id("tmo"),
    ...textModuleFields,
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "TextModule" },
);

const KeywordTaken = failure(
  "text_module_exists",
  409,
  "Another text module has this keyword.",
  "text_modules_keyword",
);

export const textModules = resource({
  name: "text_module",
  plural: "text_modules",
  effect: "ordinary",
  path: "/api/v1/itsm/text-modules",
  table: "text_modules",
  idPrefix: "tmo",
  schema: TextModule,
  input: object({
    ...patch(textModuleFields).properties,
    name: textModuleFields.name,
    keyword: textModuleFields.keyword,
    body: textModuleFields.body,
  }),
  change: patch(textModuleFields),
  defaults: { teamId: null },
  permissions: { read: MacrosRun, write: MacrosWrite },
  environmentScoped: false,
  list: {
    order: "name",
    search: ["name", "keyword", "body"],
    conditions: ({ caller }) => [visibleToTeams(caller, "text_modules")],
  },
  unique: KeywordTaken,
  async check(ctx, input) {
    const unknown = placeholdersOf(input.body ?? "").find((name) => !PLACEHOLDER.test(name));
    if (unknown !== undefined)
      throw invalidField("/body", `contains the unknown placeholder {{${unknown}}}`);
    await assertReferencesExist(ctx, { teamId: input.teamId });
    return input;
  },
  docs: {
    noun: "a text module",
    nouns: "text modules of your teams and of all teams",
    examples: {
      id: "tmo_01jzt3n5k8q2x4v6w8y0z2b4d6",
      input: {
        name: "Hello",
        keyword: "hello",
        body: "Hello {{caller.firstName}}, we are working on it.",
      },
      change: { body: "Hello {{caller.name}}, we are working on {{ticket.number}}." },
    },
  },
});

const PLACEHOLDER =
  /^(ticket\.(number|title|state|fields\.[a-z][a-zA-Z0-9]{0,39})|(caller|agent)\.(name|firstName)|team\.name)$/;
/** Includes the spaces around the name: a separate pattern for spaces would backtrack on many consecutive spaces. */
const MARK = /\{\{([^{}]{1,120})\}\}/g;

function placeholdersOf(body: string): string[] {
  return [...body.matchAll(MARK)].map(([, name = ""]) => name.trim());
}

export const renderTextModule = query({
  id: "text_modules.render",
  route: "GET /api/v1/itsm/text-modules/{id}/render",
  summary: "Render a text module for a ticket",
  permission: MacrosRun,
  params: object({ id: id("tmo") }),
  query: object({ ticketId: line(100, "The id or the number of a ticket") }),
  response: item(Type.Object({ text: Type.String() }, { title: "RenderedText" })),
  example: {
    params: { id: "tmo_01jzt3n5k8q2x4v6w8y0z2b4d6" },
    query: { ticketId: "INC0000001" },
  },
  async run(ctx, { params, query: { ticketId } }) {
    const { body } = await textModules.store.get(ctx.tx, params.id);
    return {
      text: await renderText(ctx, body, await readTicketItem(ctx, ticketId, "caller,team")),
    };
  },
});

export const previewText = query({
  id: "text_modules.preview",
  route: "POST /api/v1/itsm/text-modules/preview",
  summary: "Preview a text for a ticket",
  description: "Renders a text that is not saved. `unknown` lists the unknown placeholders.",
  permission: MacrosRun,
  body: object({
    body: textModuleFields.body,
    ticketId: line(100, "The id or the number of a ticket"),
  }),
  response: item(
    Type.Object(
      { text: Type.String(), unknown: Type.Array(Type.String()) },
      { title: "TextPreview" },
    ),
  ),
  example: { body: { body: "Hello {{caller.firstName}}", ticketId: "INC0000001" } },
  async run(ctx, { body: { body, ticketId } }) {
    const ticket = await readTicketItem(ctx, ticketId, "caller,team");
    const unknown = placeholdersOf(body).filter((name) => !PLACEHOLDER.test(name));
    return { text: await renderText(ctx, body, ticket), unknown: [...new Set(unknown)] };
  },
});

/** Fills in the placeholders of a text for a ticket. Unknown values are left empty. */
export async function renderText(
  { tx, caller }: ReadContext,
  body: string,
  ticket: TicketItem,
): Promise<string> {
  const me = caller.principal?.id ?? "";
  const agent = (await findPersonNames(tx, [me])).get(me) ?? "";
  const asker = ticket.caller?.name ?? "";
  const values: Readonly<Record<string, string>> = {
    "ticket.number": ticket.number,
    "ticket.title": ticket.title,
    "ticket.state": ticket.state,
    "caller.name": asker,
    "caller.firstName": firstWord(asker),
    "agent.name": agent,
    "agent.firstName": firstWord(agent),
    "team.name": ticket.team?.name ?? "",
  };
  return body.replaceAll(MARK, (_, mark: string) => {
    const name = mark.trim();
    const own = /^ticket\.fields\.(\w+)$/.exec(name)?.[1];
    const value = own === undefined ? values[name] : ticket.fields[own];
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : "";
  });
}

function firstWord(name: string): string {
  return name.split(" ")[0] ?? "";
}
