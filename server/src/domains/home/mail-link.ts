/**
 * The pages linked in e-mails. Their addresses must stay valid (ADR 0038): they belong to the console, and without one
 * they lead to the start page.
 */
import Type, { type Static, type TObject } from "typebox";
import { prefixOf } from "#domains/apps/index.ts";
import type { Route } from "#kernel/contract.ts";
import { htmlErrorRendering } from "#kernel/html/error-page.ts";
import { query } from "#kernel/operation/operation.ts";
import { html } from "#kernel/operation/response.ts";
import { id as idOf, object } from "#kernel/schema/schema.ts";

const place = {
  workspace: Type.Optional(Type.String({ maxLength: 63 })),
  environment: Type.Optional(Type.String({ maxLength: 20 })),
};

function mailLink<Params extends TObject>(
  id: `home.${string}`,
  about: {
    readonly route: Route;
    readonly summary: string;
    readonly params: Params;
    readonly example: Static<Params>;
  },
) {
  const { route, summary, params, example } = about;
  return query({
    id,
    route,
    summary,
    access: "public",
    params,
    query: object(place),
    response: html(htmlErrorRendering),
    example: { params: example, query: { workspace: "default" } },
    run: async ({ caller }) => ({ goTo: `${prefixOf(caller.origin)}/` }),
  });
}

export const mailLinks = [
  mailLink("home.show_ticket", {
    route: "GET /tickets/{number}",
    summary: "Open a ticket by its number",
    params: object({ number: Type.String({ pattern: "^(INC|CHG|PRB|REQ)\\d{7,15}$" }) }),
    example: { number: "INC0000012" },
  }),
  mailLink("home.show_notification", {
    route: "GET /notifications/{id}",
    summary: "Open the resource of a notification",
    params: object({ id: idOf("ntf") }),
    example: { id: "ntf_01jd0000000000000000000000" },
  }),
  mailLink("home.show_mail_settings", {
    route: "GET /settings/notifications",
    summary: "Open the notification settings",
    params: object({}),
    example: {},
  }),
];
