import { expect, test } from "vitest";
import { BUILT_IN, toTeamView, type View } from "../queue/views.ts";
import { refusalOfSaving, toSavedPart } from "./saved-view.ts";

const saver = { meId: "usr_1" };
const builtIn = (id: string): View => BUILT_IN.find((view) => view.id === id) as View;

test("the current filter of the desk is saved as a condition", () => {
  const only = "priority:1,priority:2,kind:incident,tag:vip,field:floor=3";
  expect(toSavedPart(builtIn("mine"), { only }, saver)).toEqual({
    filter: {
      and: [
        { assigneeId: "usr_1" },
        { priority: { in: [1, 2] } },
        { "fields.floor": "3" },
        { tags: { contains: "vip" } },
      ],
    },
    kinds: ["incident"],
    onlyOpen: true,
  });
});

test("a saved view keeps its base view", () => {
  expect(toSavedPart(builtIn("open"), {}, saver)).toEqual({
    filter: {},
    kinds: [],
    onlyOpen: true,
  });
  expect(toSavedPart(builtIn("done"), {}, saver)).toMatchObject({
    filter: { isOpen: false },
    onlyOpen: false,
  });
  expect(toSavedPart(toTeamView({ id: "tem_1", name: "Network" }), {}, saver).filter).toEqual({
    teamId: "tem_1",
  });
  expect(toSavedPart(builtIn("unassigned"), {}, saver).filter).toEqual({ assigneeId: null });
  expect(refusalOfSaving(builtIn("watched"))).toContain("each person");
  expect(refusalOfSaving(builtIn("open"))).toBeUndefined();
});
