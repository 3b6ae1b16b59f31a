import Type from "typebox";
import { queryRows, SqlParameters } from "#kernel/db/statement.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { DeskRead } from "../tickets/index.ts";
import { readableKinds, ofKinds } from "./list.ts";

/** Only the newest tickets with tags are read, which shows the tags in use and does not grow with the archive. */
const NEWEST_MAX = 5_000;

const TagUse = Type.Object({ tag: Type.String(), uses: Type.Integer() }, { title: "TagUse" });

export const suggestTags = query({
  id: "tickets.list_tags",
  route: "GET /api/v1/itsm/tags",
  summary: "List tags in use, most frequent first",
  description: `Counts the newest ${NEWEST_MAX} tickets with tags that you can view.`,
  permission: DeskRead,
  query: object({
    q: Type.Optional(line(50, "Prefix of the tag; ignores case")),
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
  }),
  response: item(Type.Object({ tags: Type.Array(TagUse) }, { title: "TagUses" })),
  example: { query: { q: "net", limit: 10 } },
  async run(ctx, { query: { q, limit } }) {
    const parameters = new SqlParameters();
    const isVisible = ofKinds(readableKinds(ctx))(parameters);
    const prefix = parameters.add(`${(q ?? "").replaceAll(/[\\%_]/g, "\\$&")}%`, "text");
    const text = `
      select tag, count(*)::int as uses
        from (select tags from tickets where tags <> '{}' and (${isVisible})
               order by seq desc limit ${NEWEST_MAX}) t, unnest(tags) tag
       where tag ilike ${prefix}
       group by tag order by uses desc, tag limit ${limit}`;
    const rows = await queryRows(ctx.tx, text, parameters.values);
    return { tags: rows.map(({ tag, uses }) => ({ tag: String(tag), uses: Number(uses) })) };
  },
});
