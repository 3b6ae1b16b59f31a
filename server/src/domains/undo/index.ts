import { domain } from "#kernel/domain.ts";
import { listUndoableTypes, performUndo } from "./operations.ts";
import { UndoWrite } from "./undo.ts";

export const undo = domain({
  name: "undo",
  summary: "The inverse of what was done.",
  permissions: [UndoWrite],
  events: [],
  operations: [listUndoableTypes, performUndo],
});
