/** The browser state of a page, as each request sends it. */
import Type, { type Static } from "typebox";
import { object } from "#kernel/schema/schema.ts";
import type { BrowserState } from "./sources/load-sources.ts";

const Scalar = Type.Union([
  Type.String({ maxLength: 20_000 }),
  Type.Number(),
  Type.Boolean(),
  Type.Null(),
]);
export const Scalars = Type.Record(Type.String(), Scalar, { maxProperties: 200 });

export const browserStateFields = {
  page: Type.String({ maxLength: 400, description: "Path of the page" }),
  params: Type.Optional(Scalars),
  inputs: Type.Optional(Scalars),
  views: Type.Optional(
    Type.Record(
      Type.String(),
      object({
        q: Type.Optional(Type.String({ maxLength: 200 })),
        after: Type.Optional(Type.String({ maxLength: 16_000 })),
        sort: Type.Optional(Type.String({ maxLength: 300 })),
        month: Type.Optional(Type.String({ maxLength: 7 })),
      }),
      { maxProperties: 300, description: "Search, sorting and page of tables by id" },
    ),
  ),
  selected: Type.Optional(
    Type.Record(Type.String(), Type.Array(Type.String({ maxLength: 500 }), { maxItems: 200 }), {
      maxProperties: 50,
      description: "Ids of selected rows by table id",
    }),
  ),
  timeZone: Type.Optional(
    Type.String({
      maxLength: 60,
      description: "Locale of the user. Default: the locale of the workspace",
    }),
  ),
};
export const BrowserStateBody = object(browserStateFields);

/** The browser state of the page, with empty values for omitted parts. */
export function toBrowserState(
  body: Pick<Static<typeof BrowserStateBody>, "params" | "inputs" | "views" | "selected">,
): BrowserState {
  const { params = {}, inputs = {}, views = {}, selected = {} } = body;
  return { params, inputs, views, selected };
}
