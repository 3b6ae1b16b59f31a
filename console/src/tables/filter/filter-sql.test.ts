import { expect, test } from "vitest";
import { toSql } from "./filter-sql.ts";
import { fromCondition } from "./filter-tree.ts";

test("a filter and a sort order are converted to a SQL statement", () => {
  const tree = fromCondition({
    unitPrice: { gte: 5 },
    or: [{ title: { contains: "it's 5%" } }, { createdAt: { exists: false } }],
    state: { in: ["a", "b"] },
  });
  expect(toSql({ slug: "big-table", tree, sort: "-createdAt,title", columns: [] })).toBe(
    [
      "select *",
      'from "big-table"',
      'where ("unitPrice" >= 5',
      String.raw`  and (title ilike '%it''s 5\%%'`,
      "   or created_at is null)",
      "  and state in ('a', 'b'))",
      "order by created_at desc, title",
    ].join("\n"),
  );
});
