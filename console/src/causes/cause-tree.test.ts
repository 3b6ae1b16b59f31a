import { expect, test } from "vitest";
import { type CauseNode, CauseOutline, tellCounts } from "./cause-tree.ts";

const node = (id: string, parentId: string | null, more: Partial<CauseNode> = {}): CauseNode =>
  ({
    id,
    parentId,
    kind: "event",
    type: id,
    label: id,
    status: null,
    at: "",
    ...more,
  }) as CauseNode;

const NODES = [
  node("order", null),
  node("run", "order", { kind: "run", focus: true }),
  node("started", "run", { type: "workflow.run_started" }),
  node("failed", "run", { type: "workflow.run_failed" }),
  node("repair", "failed", { kind: "run" }),
  node("ticket", "run"),
  node("other", "order"),
];
const outline = new CauseOutline({ nodes: NODES });
const draw = (way: "all" | "back" | "forth", closed: readonly string[] = []): readonly string[] =>
  outline
    .rows(new Set(closed), way, ["run"])
    .map(({ node: { id }, depth }) => `${"  ".repeat(depth)}${id}`);

test("the outline has causes above and effects below, and no rows for the run's own events", () => {
  expect(draw("all")).toEqual([
    "order",
    "  run",
    "    failed",
    "      repair",
    "    ticket",
    "  other",
  ]);
});

test("it can be limited to causes or to effects", () => {
  expect(draw("back")).toEqual(["order", "  run"]);
  expect(draw("forth")).toEqual(["run", "  failed", "    repair", "  ticket"]);
});

test("a collapsed node hides its effects, and lines end at the last child", () => {
  expect(draw("all", ["run"])).toEqual(["order", "  run", "  other"]);
  const rows = outline.rows(new Set(), "all", ["run"]);
  expect(rows.find(({ node: { id } }) => id === "repair")?.lines).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test("counts are formatted as text", () => {
  expect(tellCounts({ event: 145, run: 1, webhook_delivery: 2 })).toBe(
    "145 events, 1 run, 2 deliveries",
  );
});
