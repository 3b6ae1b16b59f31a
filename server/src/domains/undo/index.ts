import { domain } from "#kernel/domain.ts";
import { listUndoableTypes, performUndo } from "./operations.ts";
import { UndoWrite } from "./undo.ts";

export const undo = domain({
  name: "undo",
  summary: "Undo of earlier changes.",
  permissions: [UndoWrite],
  events: [],
  operations: [listUndoableTypes, performUndo],
});
