import { expect, test } from "vitest";
import { BUILT_IN, toTeamView, type View } from "../queue/views.ts";
import { refusalOfSaving, toSavedPart } from "./saved-view.ts";

const saver = { meId: "usr_1" };
const builtIn = (id: string): View => BUILT_IN.find((view) => view.id === id) as View;

test("what the desk shows is saved as a condition", () => {
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

test("views keep what they are about", () => {
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
  expect(refusalOfSaving(builtIn("watched"))).toContain("everyone");
  expect(refusalOfSaving(builtIn("open"))).toBeUndefined();
});
