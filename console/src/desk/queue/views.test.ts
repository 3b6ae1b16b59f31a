import { expect, test } from "vitest";
import { BUILT_IN, toListQuery, toSavedFilter, toTeamView, viewOf } from "./views.ts";

const open = viewOf("open", BUILT_IN);

test("chips of one field widen each other, those of several narrow", () => {
  const query = toListQuery(open, {
    q: "vpn",
    only: "priority:1,priority:2,assignee:none,tag:vip",
  });
  expect({ ...query, filter: JSON.parse(query.filter ?? "") }).toEqual({
    view: "open",
    q: "vpn",
    tags: "vip",
    filter: { and: [{ priority: { in: [1, 2] } }, { assigneeId: null }] },
  });
  expect(toListQuery(open, {})).toEqual({ view: "open" });
});

test("a view is found by its address, before its name is known too", () => {
  expect(viewOf("tem_1", []).query).toEqual({ teamId: "tem_1", open: true });
  expect(viewOf("vew_1", []).query).toEqual({ view: "vew_1" });
  expect(viewOf("nonsense", BUILT_IN).id).toBe("mine");
});

test("what is saved selects what was seen", () => {
  const team = toTeamView({ id: "tem_1", name: "Network" });
  expect(toSavedFilter(team, "state:on_hold,tag:vip")).toEqual({
    and: [{ teamId: "tem_1" }, { state: "on_hold" }, { tags: { contains: "vip" } }],
  });
  expect(toSavedFilter(open, undefined)).toEqual({});
});
