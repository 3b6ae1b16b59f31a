import { expect, test } from "vitest";
import type { Definition } from "./graph.ts";
import {
  addEdit,
  beginHistory,
  draftOf,
  editedSteps,
  isDirty,
  markSaved,
  parseHistory,
  rebaseHistory,
  redoLabel,
  stepHistory,
  trimHistory,
  undoLabel,
} from "./history.ts";

const named = (name: string): Definition =>
  ({ name, trigger: { type: "manual" }, nodes: [], edges: [] }) as Definition;
const edit = (name: string, atMs: number, field?: string) => ({
  label: `Call it ${name}`,
  after: named(name),
  chosen: [name],
  field,
  atMs,
});

test("undo and redo work in both directions, also across a save, and show the place of the edit", () => {
  let history = beginHistory(named("a"), '"1"');
  history = addEdit(history, edit("b", 1));
  history = markSaved(history, draftOf(history), '"2"');
  history = addEdit(history, edit("c", 2));
  expect([draftOf(history).name, isDirty(history), undoLabel(history)]).toEqual([
    "c",
    true,
    "Call it c",
  ]);
  expect(editedSteps(history, -1)).toEqual(["c"]);
  history = stepHistory(history, -1);
  expect([draftOf(history).name, isDirty(history), redoLabel(history)]).toEqual([
    "b",
    false,
    "Call it c",
  ]);
  history = stepHistory(stepHistory(history, -1), -1);
  expect([draftOf(history).name, isDirty(history), undoLabel(history)]).toEqual([
    "a",
    true,
    undefined,
  ]);
});

test("undo selects what was selected before the edit, redo what was selected after it", () => {
  const history = addEdit(beginHistory(named("a"), undefined), { ...edit("b", 1), from: ["a"] });
  expect(editedSteps(history, -1)).toEqual(["a"]);
  expect(editedSteps(stepHistory(history, -1), 1)).toEqual(["b"]);
});

test("typing in one field is one edit until a pause, and is not merged with a saved edit", () => {
  let history = beginHistory(named(""), undefined);
  for (const [n, text] of ["H", "He", "Hel"].entries())
    history = addEdit(history, edit(text, n * 100, "name"));
  expect(history.edits).toHaveLength(2);
  history = addEdit(history, edit("Hello", 5_000, "name"));
  expect(history.edits).toHaveLength(3);
  history = addEdit(markSaved(history, draftOf(history), '"2"'), edit("Hello!", 5_100, "name"));
  expect([history.edits.length, isDirty(history)]).toEqual([4, true]);
});

test("saved, undone and discarded edits are dropped, and at most 200 edits are kept", () => {
  let history = addEdit(beginHistory(named("a"), undefined), edit("b", 1));
  history = markSaved(history, draftOf(history), '"2"');
  history = addEdit(stepHistory(history, -1), edit("c", 2));
  history = stepHistory(history, -1);
  expect(isDirty(history)).toBe(true);
  for (let n = 0; n < 300; n += 1) history = addEdit(history, edit(`n${n}`, n));
  expect(history.edits).toHaveLength(201);
  expect(isDirty(history)).toBe(true);
});

test("another user's save becomes the base of all edits, so undo never reverts it", () => {
  let history = addEdit(beginHistory(named("a"), '"1"'), edit("b", 1));
  const theirs = { definition: { ...named("a"), description: "theirs" }, etag: '"2"' };
  history = rebaseHistory(history, theirs, (mine) => ({ ...mine, description: "theirs" }));
  expect(draftOf(history)).toMatchObject({ name: "b", description: "theirs" });
  history = stepHistory(history, -1);
  expect([draftOf(history).description, isDirty(history), history.etag]).toEqual([
    "theirs",
    false,
    '"2"',
  ]);
});

test("a kept draft has its newest edits and the same position in the history", () => {
  let history = beginHistory(named("a"), '"1"');
  for (let n = 0; n < 60; n += 1) history = addEdit(history, edit(`n${n}`, n));
  const kept = trimHistory(stepHistory(history, -1), 20);
  expect([kept.edits.length, draftOf(kept).name, redoLabel(kept)]).toEqual([
    22,
    "n58",
    "Call it n59",
  ]);
});

test("a parsed history detects that all edits are undone", () => {
  const written = addEdit(beginHistory(named("a"), '"1"'), edit("b", 1));
  const read = parseHistory(JSON.stringify(written));
  expect([isDirty(read), draftOf(read)]).toEqual([true, named("b")]);
  expect(isDirty(stepHistory(read, -1))).toBe(false);
});
