import { expect, test } from "vitest";
import { BUILT_IN, toListQuery, viewOf } from "./views.ts";

const open = viewOf("open", BUILT_IN);

test("chips of one field are combined with or, chips of different fields with and", () => {
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

test("a view is found by its address, even before its name is loaded", () => {
  expect(viewOf("tem_1", []).query).toEqual({ teamId: "tem_1", open: true });
  expect(viewOf("vew_1", []).query).toEqual({ view: "vew_1" });
  expect(viewOf("nonsense", BUILT_IN).id).toBe("mine");
});

test("chips of custom fields compare with the selected value", () => {
  const { filter } = toListQuery(open, {
    only: "field:floor%3D3,field:floor%3D4,field:vip%3Dtrue",
  });
  expect(JSON.parse(filter ?? "")).toEqual({
    and: [{ "fields.floor": { in: ["3", "4"] } }, { "fields.vip": true }],
  });
});
